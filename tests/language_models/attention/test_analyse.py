"""`analyse attention` end to end, and its page in a real browser."""

import csv
import json
import re
import shutil
import subprocess

import pytest

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import AnalyseOptions
from nntag.errors import DataError, UsageError
from nntag.language_models.attention.analyse import analyse_attention, explain_text
from nntag.language_models.preprocessing.text import preprocess_text
from tests.opening import open_corpus

# words that a page, a figure or a table could take for something else
WORDS = ["</script>", "<b>x</b>", "&amp;", "{{title}}", "$x$", "a,b", '"q"', "é", "end"]
SENTENCES = [" ".join(WORDS[(start + step) % len(WORDS)] for step in range(3 + start)) for start in range(9)]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("analyse")
    (folder / "text.txt").write_text("\n".join(SENTENCES * 3) + "\n", encoding="utf-8")
    files = {split: [folder / "text.txt"] for split in ("train", "dev")}
    preprocess_text(open_corpus("text", files), folder / "data")
    sizes = {"hidden": 8, "train.epochs": 2}
    fast = {"optimiser": "adam", "lr": 0.05, "lr_half_life": 0, "average": 0.0, "loss_per": "token", "batch_size": 32}
    noiseless = {"input_dropout": 0.0, "output_dropout": 0.0}
    train(TrainOptions("rm", folder / "data", folder / "rm", settings={**sizes, **fast, **noiseless, "memory": 8}))
    train(TrainOptions("lstm-lm", folder / "data", folder / "lstm", settings=sizes))
    rows = [f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\trel{n % 3}\t_\t_" for n, word in enumerate(SENTENCES[8].split(), 1)]
    (folder / "bank.conllu").write_text(("\n".join(rows) + "\n\n") * 12, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def analysis(runs):
    return analyse_attention(
        AnalyseOptions(runs / "rm", out=runs / "out", treebank=runs / "bank.conllu", samples=5, sentences=7)
    )


def test_everything_is_written(analysis):
    names = {path.name for path in analysis.folder.iterdir()}
    stems = {"positions", "samples", "distances", "relations"}
    assert {f"{stem}.{kind}" for stem in stems for kind in ("csv", "png", "svg")} <= names
    assert {"attention.json", "index.html", "pairs.csv", "paths.csv"} <= names
    assert json.loads((analysis.folder / "attention.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(analysis.report)
    )


def test_report_holds_together(analysis):
    report = analysis.report
    assert report["memory"] == 8 and report["sentences"] == 27
    assert sum(row["mean_full_window"] for row in report["positions"]) == pytest.approx(1, abs=1e-5)
    assert len(report["samples"]) == 5
    for sample in report["samples"]:
        assert len(sample["history"]) == len(sample["weights"]) == 8
    assert report["far_pairs"] == sum(row["occurrences"] for row in report["distances"]) > 0
    assert report["far_pairs"] == sum(pair["count"] for pair in report["pairs"])
    assert {row["relation"] for row in report["relations"]["relations"]} == {"[ALL]", "->rel0", "->rel1", "->rel2"}


def test_tables_hold_the_words_as_they_are(analysis):
    with open(analysis.folder / "pairs.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["attended"] for row in rows] == [pair["attended"] for pair in analysis.report["pairs"]]
    assert {row["predicted"] for row in rows} <= set(WORDS)


def test_the_page_loads_nothing(analysis):
    page = analysis.page.read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
    assert "src=" not in page and "url(" not in page and page.count("</script>") == 2


def test_same_numbers_give_the_same_files(analysis, runs, tmp_path):
    again = analyse_attention(
        AnalyseOptions(runs / "rm", out=tmp_path / "o", treebank=runs / "bank.conllu", samples=5, sentences=7)
    )
    for path in again.folder.iterdir():
        assert path.read_bytes() == (analysis.folder / path.name).read_bytes(), path.name


def test_a_treebank_alone_and_a_text_file(runs, tmp_path):
    assert (
        "paths"
        in analyse_attention(
            AnalyseOptions(runs / "rm", data=runs / "bank.conllu", out=tmp_path / "a", sentences=1)
        ).report
    )
    report = analyse_attention(
        AnalyseOptions(runs / "rm", data=runs / "text.txt", out=tmp_path / "b", samples=0, sentences=0)
    ).report
    assert report["sentences"] == 27 and "relations" not in report


def test_splits_are_taken_together_and_relations_can_be_chosen(runs, tmp_path):
    pooled = analyse_attention(AnalyseOptions(runs / "rm", split="dev,train", out=tmp_path / "both")).report
    alone = analyse_attention(AnalyseOptions(runs / "rm", split="train", out=tmp_path / "one")).report
    assert pooled["data"].endswith("dev + train") and pooled["sentences"] == 54
    for row, single in zip(pooled["distances"], alone["distances"], strict=True):  # dev and train are the same text
        assert row["occurrences"] == 2 * single["occurrences"] and row["mean_count"] == single["mean_count"]
    bank = {"model": runs / "rm", "treebank": runs / "bank.conllu"}
    analyse_attention(AnalyseOptions(**bank, out=tmp_path / "chosen", relations="->rel2,->rel0"))
    text = (tmp_path / "chosen" / "relations.svg").read_text(encoding="utf-8")
    assert len(list(re.finditer("<!-- (.*rel.) -->", text))) == 2 and "<!-- [ALL] -->" in text
    with pytest.raises(UsageError, match="--relations: unknown relation '->rel9'; did you mean"):
        analyse_attention(AnalyseOptions(**bank, out=tmp_path / "x", relations="->rel9"))
    with pytest.raises(UsageError, match="--relations: there is no parsed text"):
        analyse_attention(AnalyseOptions(runs / "rm", out=tmp_path / "x", relations="->rel2"))


def test_what_cannot_be_analysed_is_said(runs, tmp_path):
    with pytest.raises(UsageError, match="memory block"):
        analyse_attention(AnalyseOptions(runs / "lstm", out=tmp_path / "o"))
    with pytest.raises(DataError, match="text.txt:1: .*10 expected"):
        analyse_attention(AnalyseOptions(runs / "rm", out=tmp_path / "o", treebank=runs / "text.txt"))
    with pytest.raises(DataError, match="nowhere: cannot be read"):
        analyse_attention(AnalyseOptions(runs / "rm", out=tmp_path / "o", treebank=tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="no splits"):
        analyse_attention(AnalyseOptions(runs / "rm", data=runs / "text.txt", split="dev", out=tmp_path / "o"))
    with pytest.raises(UsageError, match="known suffix"):
        analyse_attention(AnalyseOptions(runs / "rm", data=tmp_path, out=tmp_path / "o"))
    with pytest.raises(UsageError, match="must be a folder"):
        analyse_attention(AnalyseOptions(runs / "rm", out=runs / "text.txt"))
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(DataError, match="no sentences"):
        analyse_attention(AnalyseOptions(runs / "rm", data=tmp_path / "empty.txt", out=tmp_path / "o"))
    with pytest.raises(UsageError, match="no words"):
        explain_text(AnalyseOptions(runs / "rm", " "))
    with pytest.raises(UsageError, match="reserved"):
        explain_text(AnalyseOptions(runs / "rm", "end <s> end"))


@pytest.mark.parametrize(("model", "setting"), [("rm-bidirectional", {"memory": 3}), ("rm", {"backward": True})])
def test_only_models_that_read_forward_are_looked_into(runs, tmp_path, model, setting):
    train(
        TrainOptions(model, runs / "data", tmp_path / "run", settings={**{"hidden": 4, "train.epochs": 1}, **setting})
    )
    with pytest.raises(UsageError, match="left to right"):
        analyse_attention(AnalyseOptions(tmp_path / "run"))
    with pytest.raises(UsageError, match="left to right"):
        explain_text(AnalyseOptions(tmp_path / "run", "end end"))


def test_nothing_of_an_earlier_analysis_stays(runs, tmp_path):
    analyse_attention(AnalyseOptions(runs / "rm", data=runs / "bank.conllu", out=tmp_path, samples=5, sentences=1))
    assert (tmp_path / "relations.csv").exists() and (tmp_path / "samples.png").exists()
    (tmp_path / "mine.csv").touch()
    analyse_attention(AnalyseOptions(runs / "rm", data=runs / "text.txt", out=tmp_path, samples=0, sentences=1))
    left = {path.stem for path in tmp_path.iterdir()}
    assert {"mine", "positions"} <= left and not {"relations", "paths", "samples"} & left


def test_one_sentence_is_explained_word_by_word(runs):
    rows = explain_text(AnalyseOptions(runs / "rm", "é end unseen"))
    assert [row["predicted"] for row in rows] == ["é", "end", "unseen", "</s>"]
    assert rows[2]["history"] == ["<s>", "é", "end"]
    for row in rows:
        assert sum(row["weights"]) == pytest.approx(1, abs=1e-5)
        logs = [guess["log_probability"] for guess in row["top"]]
        assert len(logs) == 3 and logs == sorted(logs, reverse=True)


def test_an_interrupted_analysis_leaves_nothing(runs, tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("nntag.language_models.attention.analyse.write_page", interrupt)
    with pytest.raises(KeyboardInterrupt):
        analyse_attention(AnalyseOptions(runs / "rm", out=tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_page_works_in_a_browser(analysis, tmp_path):
    wanted = analysis.report["pairs"][0]["attended"]
    script = """
    <script>
    const search = document.getElementById("sentence-search");
    search.value = "<" + "/SCRIPT> end"; search.dispatchEvent(new Event("input"));
    const word = document.querySelectorAll(".sentence .word")[3];
    word.dispatchEvent(new Event("mouseenter"));
    const pairs = document.getElementById("pair-search");
    pairs.value = WANTED; pairs.dispatchEvent(new Event("input"));
    const cell = document.querySelector("#sample-map rect");
    cell.dispatchEvent(new MouseEvent("mousemove", {clientX: 5, clientY: 5}));
    document.body.dataset.result = JSON.stringify({
      ready: document.body.dataset.ready,
      found: document.getElementById("sentence-count").textContent,
      words: [...document.querySelectorAll(".sentence")[0].children].map((node) => node.textContent),
      details: document.querySelector("#details h3").textContent,
      shaded: document.querySelectorAll('.sentence .word[style*="background"]').length,
      pairs: [...document.querySelectorAll("#pair-table tbody tr")].map((row) => row.innerText.split("\\t")),
      bars: document.querySelectorAll("#position-chart rect").length,
      cells: document.querySelectorAll("#sample-map rect").length,
      relations: document.querySelectorAll("#relation-table tbody tr").length,
      tip: document.getElementById("tip").textContent,
      bold: document.querySelectorAll("b").length,
    });
    </script></body>""".replace("WANTED", json.dumps(wanted).replace("<", "\\u003c"))
    page = tmp_path / "page.html"
    page.write_text(analysis.page.read_text(encoding="utf-8").replace("</body>", script), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *flags, page.as_uri()], capture_output=True, timeout=120, check=True)
    dom = done.stdout.decode("utf-8")
    packed = dom.split('data-result="')[1].split('"')[0]
    result = json.loads(packed.replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    shown = [sentence.split() for sentence in SENTENCES[:7]]
    hits = [words for words in shown if {"</script>", "end"} <= set(words)]
    assert result["ready"] == "true" and result["bold"] == 0
    assert result["found"] == f"{len(hits)} of 7 sentences"
    assert result["words"] == ["<s>", *hits[0], "</s>"]
    assert result["details"] == f"to predict: {hits[0][2]}" and result["shaded"] == 3
    assert result["pairs"] and all(wanted in row[0] or wanted in row[1] for row in result["pairs"])
    assert (result["bars"], result["cells"], result["relations"]) == (8, 40, 4)
    sample = analysis.report["samples"][0]
    assert result["tip"].startswith(f"{sample['history'][0]} (-8) for {sample['predicted']}")
