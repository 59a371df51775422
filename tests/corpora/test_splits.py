"""Corpus folders as they are distributed, and dev sets split off."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nntag.corpora.splits import choose_dev, find_splits, split_off_dev
from nntag.errors import DataError, UsageError


def make(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    return folder


def names(format: str, folder: Path) -> dict[str, list[str]]:
    return {split: [file.name for file in files] for split, files in find_splits(format, folder).items()}


@pytest.mark.parametrize("above", ["", "AUTO/", "data/AUTO/"])
def test_ccgbank_sections(tmp_path: Path, above: str) -> None:
    files = [f"{above}{section:02}/wsj_{section:02}{number:02}.auto" for section in range(25) for number in (1, 0)]
    make(tmp_path, *files, "data/PARG/02/wsj_0201.parg", "README")
    found = names("ccgbank", tmp_path)
    assert found["dev"] == ["wsj_0000.auto", "wsj_0001.auto"]
    assert found["test"] == ["wsj_2300.auto", "wsj_2301.auto"]
    assert found["train"] == [f"wsj_{section:02}{number:02}.auto" for section in range(2, 22) for number in (0, 1)]


def test_ccgbank_in_single_files(tmp_path: Path) -> None:
    make(tmp_path, "wsj_02-21.auto", "wsj_00.auto.gz", "wsj_23.auto", "wsj_24.auto")
    assert names("ccgbank", tmp_path) == {
        "train": ["wsj_02-21.auto"],
        "dev": ["wsj_00.auto.gz"],
        "test": ["wsj_23.auto"],
    }
    other = make(
        tmp_path / "b", "geo-train.auto", "geo-dev.auto", "switchboard-test100.auto", "switchboard-test100.txt"
    )
    assert {split: len(files) for split, files in find_splits("ccgbank", other).items()} == dict(train=1, dev=1, test=1)


def test_ptb_sections(tmp_path: Path) -> None:
    make(tmp_path, *(f"{kind}/{s:02}/wsj_{s:02}01.{kind}" for s in range(25) for kind in ("mrg", "prd")))
    found = names("ptb", tmp_path)
    assert found["dev"] == [f"wsj_{section}01.mrg" for section in (19, 20, 21)]
    assert found["test"] == [f"wsj_{section}01.mrg" for section in (22, 23, 24)]
    assert len(found["train"]) == 19


def test_missing_sections_are_named(tmp_path: Path) -> None:
    make(tmp_path, *(f"{section:02}/wsj_{section:02}01.mrg" for section in range(25) if section not in (7, 22)))
    with pytest.raises(UsageError, match="the section folders 07, 22 too"):
        find_splits("ptb", tmp_path)


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    make(tmp_path, "a/02/wsj_0201.auto", "b/02/wsj_0201.auto")
    with pytest.raises(UsageError, match="also there as"):
        find_splits("ccgbank", tmp_path)


def test_ptb_without_sections_is_dealt_out_by_seed(tmp_path: Path) -> None:
    make(tmp_path, *(f"combined/wsj_{number:04}.mrg" for number in range(1, 51)))
    first = find_splits("ptb", tmp_path)
    assert {split: len(files) for split, files in first.items()} == {"train": 40, "dev": 5, "test": 5}
    assert sorted(file for files in first.values() for file in files) == sorted((tmp_path / "combined").iterdir())
    assert all(files == sorted(files) for files in first.values())
    assert first == find_splits("ptb", tmp_path) != find_splits("ptb", tmp_path, seed=2)
    few = make(tmp_path / "few", "wsj_0001.mrg", "wsj_0002.mrg")
    assert names("ptb", few) == {"train": ["wsj_0001.mrg", "wsj_0002.mrg"]}


@pytest.mark.parametrize(
    ("format", "files", "expected"),
    [
        (
            "conllu",
            ["en_ewt-ud-train.conllu", "en_ewt-ud-dev.conllu", "en_ewt-ud-test.conllu", "LICENSE.txt", "test.txt"],
            ["en_ewt-ud-train.conllu", "en_ewt-ud-dev.conllu", "en_ewt-ud-test.conllu"],
        ),
        (
            "text",
            ["ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"],
            ["ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"],
        ),
        ("text", ["wiki.train.tokens", "wiki.valid.tokens.xz"], ["wiki.train.tokens", "wiki.valid.tokens.xz", None]),
        ("sst", ["train.txt", "dev.txt", "test.txt"], ["train.txt", "dev.txt", "test.txt"]),
        ("sst", ["trees/train.txt", "trees/dev.txt", "trees/test.txt"], ["train.txt", "dev.txt", "test.txt"]),
        ("columns", ["train.txt", "test.txt", "latest.txt", "contest.txt"], ["train.txt", None, "test.txt"]),
        (
            "piped",
            ["a_train.staggedGold", "train.txt", "testing.piped"],
            ["a_train.staggedGold", None, "testing.piped"],
        ),
    ],
)
def test_files_named_after_their_split(
    tmp_path: Path, format: str, files: list[str], expected: list[str | None]
) -> None:
    wanted = {split: [name] for split, name in zip(("train", "dev", "test"), expected, strict=True) if name}
    assert names(format, make(tmp_path, *files)) == wanted


def test_one_language_of_the_parallel_meaning_bank(tmp_path: Path) -> None:
    make(tmp_path, "de-train.conll", "de-dev.conll", "en-train.conll.xz", "en-test.conll", "README.txt")
    assert find_splits("pmb", tmp_path, language="de") == {
        split: [tmp_path / f"de-{split}.conll"] for split in ("train", "dev")
    }
    assert find_splits("pmb", tmp_path, language="en") == {
        "train": [tmp_path / "en-train.conll.xz"],
        "test": [tmp_path / "en-test.conll"],
    }
    with pytest.raises(UsageError, match="files of de, en; choose one with --language"):
        find_splits("pmb", tmp_path)
    with pytest.raises(UsageError, match="expected a training file nl-train.conll, found README.txt, de-dev.conll"):
        find_splits("pmb", tmp_path, language="nl")
    assert names("pmb", make(tmp_path / "de", "de-train.conll")) == {"train": ["de-train.conll"]}
    assert names("pmb", make(tmp_path / "gold", "train.conll", "dev.conll")) == {
        "train": ["train.conll"],
        "dev": ["dev.conll"],
    }


def test_sherlock(tmp_path: Path) -> None:
    make(
        tmp_path,
        "Holmes_Training_Data/B.TXT",
        "Holmes_Training_Data/A.TXT",
        "testing_data.csv",
        "test_answer.csv",
        "x.txt",
    )
    assert names("sherlock", tmp_path) == {
        "novels": ["A.TXT", "B.TXT"],
        "questions": ["testing_data.csv"],
        "answers": ["test_answer.csv"],
    }
    other = make(tmp_path / "c", "novels/a.txt", "h/Holmes.machine_format.questions.txt")
    assert names("sherlock", other) == {"novels": ["a.txt"], "questions": ["Holmes.machine_format.questions.txt"]}


@pytest.mark.parametrize(
    ("format", "files", "message"),
    [
        ("conllu", ["a-dev.conllu"], "expected a training file, such as train.conllu, found a-dev.conllu"),
        ("conllu", [], "expected a training file, such as train.conllu, found nothing"),
        ("sherlock", ["a.txt"], r"expected \*.TXT in a folder Holmes_Training_Data"),
        ("text", ["train.test.txt"], "contains both train and test"),
    ],
)
def test_folders_that_do_not_fit(tmp_path: Path, format: str, files: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_splits(format, make(tmp_path, *files))


def test_unknown_corpus_and_absent_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown corpus 'conlu'; did you mean 'conllu'"):
        find_splits("conlu", tmp_path)
    with pytest.raises(UsageError, match=r"no such folder; data/README.md says"):
        find_splits("sst", tmp_path / "absent")


def test_dev_is_split_off_by_seed_alone() -> None:
    sentences = [f"s{number}" for number in range(100)]
    train, dev = split_off_dev(sentences, 0.1, 3, "f")
    assert len(dev) == 10 and sorted(train + dev) == sorted(sentences)
    assert train == [s for s in sentences if s not in dev] and dev == [s for s in sentences if s in dev]
    assert split_off_dev(sentences, 0.1, 3, "f") == (train, dev) != split_off_dev(sentences, 0.1, 4, "f")
    assert [len(part) for part in split_off_dev(["a", "b"], 0.01, 1, "f")] == [1, 1]
    assert [len(part) for part in split_off_dev(["a", "b", "c"], 0.99, 1, "f")] == [1, 2]
    with pytest.raises(DataError, match="^f: a single sentence cannot be split into train and dev; give a dev file"):
        split_off_dev(["a"], 0.5, 1, "f")


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3])
def test_dev_is_what_random_sample_draws(fraction: float) -> None:
    for count in (2, 3, 21, 22, 60, 61, 85, 86, 200, 277, 278, 1000, 1046, 5000):
        wanted = min(max(1, round(fraction * count)), count - 1)
        drawn = random.Random(4).sample(range(count), wanted)
        assert [place for place, dev in enumerate(choose_dev(count, fraction, 4, "f")) if dev] == sorted(drawn), count
