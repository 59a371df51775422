"""The cases of behaviour (`make cases`): for each file of the folder, one of the right outcomes, or what came instead.

`python -m tests.behaviour FOLDER`. The files are named as the cases are; the folder's own page says what is wrong
where a tool says nothing.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.command_line import Finished, run_nntag

NGRAM = Path(__file__).parent.resolve() / "data" / "v0.1.0" / "runs" / "ngram"
TINY = ("--model", "skip-none", "--hidden", 4, "--epochs", 1)

Case = Callable[[Path], None]


def prepare(corpus: str, file: Path, *more: object, dev: Path | None = None) -> Finished:
    return run_nntag("preprocess", corpus, "--train", file, "--dev", dev or file, "--out", "data", *more)


def done(finished: Finished) -> Finished:
    assert finished.code == 0, finished.err
    return finished


def refused(finished: Finished, *words: str) -> None:
    assert finished.code == 2 and len(finished.errors) == 1, (finished.code, finished.err)
    missing = [word for word in words if word not in finished.err]
    assert not missing, f"{missing} not in {finished.err!r}"


def meta() -> dict:
    return json.loads(Path("data/meta.json").read_text(encoding="utf-8"))


def iarpa(file: Path) -> None:
    refused(run_nntag("arpa", "import", file, "--out", "r"), "iARPA", "convert it")


def other_order(file: Path) -> None:
    found = run_nntag("read", "conllu", file, "--json")
    if found.code == 0:
        assert "global.columns" in file.read_text(encoding="utf-8")
        tags = {tag for line in found.out.splitlines() for tag in json.loads(line)["tags"]}
        assert all(tag.isupper() for tag in tags), tags
    else:
        refused(found, str(file))


def docstart(file: Path) -> None:
    told = done(prepare("columns", file, "--column", 2)).err
    counts = meta()["splits"]["train"]
    assert (counts["sentences"], counts["tokens"]) == (12, 42) and "left out, as marks and not words" in told
    assert "-X-" not in Path("data/vocab.json").read_text(encoding="utf-8")


def unknown_mark(file: Path) -> None:
    told = done(prepare("text", file)).err
    assert "read as <unk>: <UNK>" in told and "<UNK>" not in Path("data/vocab.json").read_text(encoding="utf-8")


def three_classes(file: Path) -> None:
    refused(prepare("sst", file, "--task", "binary", "--test", file), "one class", "0, 1, 2; 0 to 4")


def no_tags(file: Path) -> None:
    refused(prepare("conllu", file, "--column", "XPOS"), "XPOS")


def ties(file: Path) -> None:
    for answers in ("answers.txt", "answers-e.txt"):
        given = file.with_name(file.name.replace("questions.txt", answers))
        found = json.loads(done(run_nntag("complete", file, "--answers", given, "--model", NGRAM, "--json")).out)
        assert abs(found["report"]["accuracy"] - 0.2) < 1e-9 and found["report"]["ties"], found["report"]


def two_layers(file: Path) -> None:
    done(prepare("conllu", file, "--column", "XPOS"))
    done(run_nntag("train", "--data", "data", "--out", "r", *TINY))
    found = run_nntag("eval", "--model", "r", "--data", file, "--column", "UPOS")
    assert found.code == 2 or "warning" in found.err, found.err


def rare_tags(file: Path) -> None:
    done(prepare("columns", file, "--tag-cutoff", 10))
    done(run_nntag("train", "--data", "data", "--out", "r", *TINY))
    words = " ".join(line.split("\t")[0] for line in file.read_text(encoding="utf-8").splitlines() if line)
    found = done(run_nntag("tag", "--model", "r", stdin=f"{words}\n".encode()))
    assert "|RARE" not in found.out


def features(file: Path) -> None:
    done(prepare("conllu", file, "--column", "FEATS"))
    done(run_nntag("train", "--data", "data", "--out", "r", *TINY))
    found = run_nntag("tag", "--model", "r", stdin=b"die\n")
    if found.code == 0:
        back = done(run_nntag("read", "piped", "-", "--column", "tag", "--json", stdin=found.out.encode()))
        assert json.loads(back.out)["tokens"] == ["die"]
    else:
        refused(found, "--format piped", "columns or json")


def one_line(file: Path) -> None:
    found = prepare("text", file)
    assert found.code == 2 or "its longest sentence has" in found.err, found.err


def overlap(file: Path) -> None:
    Path("dev.txt").write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[-100:]))
    told = done(prepare("text", file, dev=Path("dev.txt"))).err
    assert meta()["splits"]["dev"]["also_in_train"] == 100 and "train" in told, told


CASES: dict[str, Case] = {
    "P157-iarpa.arpa": iarpa,
    "P164-docstart.conll": docstart,
    "P165-tied-candidates.questions.txt": ties,
    "P167-uppercase-UNK.txt": unknown_mark,
    "P168-three-classes-0-1-2.txt": three_classes,
    "P173-many-rare-tags.tsv": rare_tags,
    "P174-feats-with-bars.conllu": features,
    "P176-ten-columns-other-order.conllup": other_order,
    "P181-one-line-corpus.txt": one_line,
    "P182-two-tag-layers.conllu": two_layers,
    "P185-no-xpos-at-all.conllu": no_tags,
    "P190-train-holds-the-heldout.txt": overlap,
}


def main() -> int:
    folder, bad = Path(sys.argv[1]).resolve(), 0
    for name, case in CASES.items():
        with tempfile.TemporaryDirectory(prefix="nntag-behaviour-") as here:
            os.chdir(here)
            try:
                case(folder / name)
            except Exception:
                bad += 1
                print(f"FAIL {name}: {traceback.format_exc(limit=-1)}")
    print(f"{len(CASES) - bad} of {len(CASES)} cases of behaviour as they should be")
    return min(1, bad)


if __name__ == "__main__":
    sys.exit(main())
