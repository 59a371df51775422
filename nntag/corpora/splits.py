"""A corpus folder as it is distributed -> its files by split; and a dev set split off from training sentences."""

from __future__ import annotations

import logging
import math
import random
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from nntag.corpora.formats import find_corpus
from nntag.corpora.packing import unpacked_name
from nntag.errors import DataError, UsageError

logger = logging.getLogger("nntag")

Splits = dict[str, list[Path]]
Item = TypeVar("Item")

CCGBANK_SECTIONS = {"train": range(2, 22), "dev": range(0, 1), "test": range(23, 24)}
PTB_SECTIONS = {"train": range(0, 19), "dev": range(19, 22), "test": range(22, 25)}  # the usual ones for tagging
POOL_SHARES = {"dev": 0.1, "test": 0.1}  # ours: of the files of a treebank that has no sections
SMALLEST_POOL = 10  # files; below that every file is train

_SPLIT_NAMES = {"train": "train|training", "dev": "dev|devel|valid|validation|val", "test": "test|testing"}
_LANGUAGE = re.compile("([a-z]{2,3})-(?:train|dev|test)[.]")  # the Parallel Meaning Bank's files in one folder
_FALLBACK_SUFFIXES = (".txt",)  # looked for where no training file has a suffix of its own format


def find_splits(format: str, folder: str | Path, seed: int = 1, language: str | None = None) -> Splits:
    """The files of `train`, and of `dev` and `test` where the folder has them, each list in order of path.

    Known layouts: CCGbank and PTB with section folders; a PTB folder without sections, whose files are dealt out by
    `seed`; any tagging, text or tree corpus whose file names hold train, dev or valid, test; for `sherlock` the keys
    are `novels`, `questions` and `answers`. `language` chooses among the files of a folder in the layout of `pmb`
    (`de-train.conll`). Raises UsageError that says what was expected and what is there.
    """
    folder = Path(folder)
    row = find_corpus(format)
    if not folder.is_dir():
        found = "a file, not a folder" if folder.exists() else "no such folder"
        raise UsageError(
            f"{folder}: {found}; data/README.md says which files the corpus {format!r} needs there; single files are "
            "named with --train, --dev and --test"
        )
    if row.layout == "languages":
        return _choose_language(folder, _find_named(format, folder), language)
    return _find_named(format, folder) if row.layout == "named" else _FINDERS[row.layout](folder, seed)


def split_off_dev(
    sentences: Sequence[Item], fraction: float, seed: int, source: str | Path
) -> tuple[list[Item], list[Item]]:
    """(train, dev): `fraction` of the sentences, at least one, chosen by `seed` alone; both keep their order.

    Raises `DataError` that names `source` where there are not two.
    """
    is_dev = choose_dev(len(sentences), fraction, seed, source)
    parts: tuple[list[Item], list[Item]] = ([], [])
    for sentence, chosen in zip(sentences, is_dev, strict=True):
        parts[chosen].append(sentence)
    return parts


def choose_dev(sentences: int, fraction: float, seed: int, source: str | Path) -> bytearray:
    """For each of so many sentences 1 where `split_off_dev` takes it for dev, and 0 where it stays.

    The draws are those of `random.sample`, which would hold each number as an object: 36 bytes a sentence, not 9.
    Raises `DataError` that names `source` where there are not two.
    """
    if sentences < 2:
        raise DataError(source, None, "a single sentence cannot be split into train and dev; give a dev file")
    count = min(max(1, round(fraction * sentences)), sentences - 1)
    draw, chosen = random.Random(seed).randrange, bytearray(sentences)
    if sentences <= 21 + (4 ** math.ceil(math.log(count * 3, 4)) if count > 5 else 0):
        pool = array("q", range(sentences))
        for left in range(sentences, sentences - count, -1):
            place = draw(left)
            chosen[pool[place]] = 1
            pool[place] = pool[left - 1]
    else:
        for _ in range(count):
            while chosen[place := draw(sentences)]:
                pass
            chosen[place] = 1
    return chosen


def _find_ccgbank(folder: Path, seed: int) -> Splits:
    files = _matching(folder, r"wsj_[0-9]{4}[.]auto")
    if files:
        return _by_section("ccgbank", folder, files, CCGBANK_SECTIONS)
    joined = {"train": r"wsj_02-21[.]auto", "dev": r"wsj_00[.]auto", "test": r"wsj_23[.]auto"}
    splits = {split: _matching(folder, name) for split, name in joined.items()}
    return _present(splits) if splits["train"] else _find_named("ccgbank", folder)


def _find_ptb(folder: Path, seed: int) -> Splits:
    files = _matching(folder, r"wsj_[0-9]{4}[.]mrg") or _matching(folder, r"wsj_[0-9]{4}[.]prd")
    if any(_section(file) is not None for file in files):
        return _by_section("ptb", folder, files, PTB_SECTIONS)
    if not files:
        return _find_named("ptb", folder)
    if len(files) < SMALLEST_POOL:
        return {"train": files}
    shuffled = random.Random(seed).sample(files, len(files))
    splits: Splits = {"train": []}
    taken = 0
    for split, share in POOL_SHARES.items():
        count = round(share * len(files))
        splits[split] = sorted(shuffled[taken : taken + count])
        taken += count
    splits["train"] = sorted(shuffled[taken:])
    counts = ", ".join(f"{len(splits[split])} {split}" for split in ("train", "dev", "test"))
    logger.warning("%s: no section folders, so its files are dealt out by seed %d: %s", folder, seed, counts)
    return splits


def _find_sherlock(folder: Path, seed: int) -> Splits:
    questions = _matching(folder, r"testing_data[.]csv") or _matching(folder, r".*machine_format[.]questions[.]txt")
    answers = _matching(folder, r"test_answer[.]csv") or _matching(folder, r".*machine_format[.]answers[.]txt")
    texts = _matching(folder, r".*[.]txt")
    novels = [file for file in texts if file.parent.name in ("Holmes_Training_Data", "novels")]
    if not novels:
        raise _nothing("sherlock", folder, "*.TXT in a folder Holmes_Training_Data or novels")
    return _present({"novels": novels, "questions": questions[:1], "answers": answers[:1]})


_FINDERS: dict[str, Callable[[Path, int], Splits]] = {  # by the `layout` of a format
    "ccgbank": _find_ccgbank,
    "ptb": _find_ptb,
    "sherlock": _find_sherlock,
}


def _find_named(format: str, folder: Path) -> Splits:
    """Files with the split in their names: `en_ewt-ud-train.conllu`, `ptb.valid.txt`, `dev.txt`."""
    row = find_corpus(format)
    own_suffixes = (*row.suffixes, *row.other_suffixes)
    for suffixes in (own_suffixes, _FALLBACK_SUFFIXES):
        splits: Splits = {split: [] for split in _SPLIT_NAMES}
        for file in sorted(folder.iterdir()):
            if _plain_name(file).endswith(suffixes) and file.is_file() and (split := _named_split(file)):
                splits[split].append(file)
        if splits["train"]:
            return _present(splits)
    if (folder / "trees").is_dir():  # as SST is packed
        return _find_named(format, folder / "trees")
    raise _nothing(format, folder, f"a training file, such as train{own_suffixes[0]}")


def _choose_language(folder: Path, splits: Splits, language: str | None) -> Splits:
    """The files whose names begin with the language; all of them where none is asked for and there is only one."""
    by_language: dict[str, Splits] = {}
    for split, files in splits.items():
        for file in files:
            if named := _LANGUAGE.match(_plain_name(file)):
                by_language.setdefault(named[1], {}).setdefault(split, []).append(file)
    if language is None:
        if len(by_language) > 1:
            raise UsageError(f"{folder}: files of {', '.join(sorted(by_language))}; choose one with --language")
        return splits
    if "train" not in by_language.get(language, {}):
        raise _nothing("pmb", folder, f"a training file {language}-train.conll")
    return by_language[language]


def _named_split(file: Path) -> str | None:
    name = _plain_name(file)
    named = [s for s, words in _SPLIT_NAMES.items() if re.search(f"(?:^|[^a-z])(?:{words})(?:[^a-z]|$)", name)]
    if len(named) > 1:
        raise UsageError(f"{file}: the name contains both {named[0]} and {named[1]}; give the files one by one")
    return named[0] if named else None


def _matching(folder: Path, name: str) -> list[Path]:
    """The files below a folder whose name matches, compressed or not; raises UsageError where one is there twice."""
    files = sorted(path for path in folder.rglob("*") if re.fullmatch(name, _plain_name(path)) and path.is_file())
    places: dict[tuple[str, str], Path] = {}
    for file in files:
        first = places.setdefault((file.parent.name, _plain_name(file)), file)
        if first != file:
            raise UsageError(f"{file}: the same file is also there as {first}; keep one of them")
    return files


def _plain_name(file: Path) -> str:
    return unpacked_name(file).name.lower()


def _section(file: Path) -> int | None:
    """The number of the section folder that a file lies in."""
    return int(file.parent.name) if re.fullmatch("[0-9]{2}", file.parent.name) else None


def _by_section(format: str, folder: Path, files: Iterable[Path], sections: dict[str, range]) -> Splits:
    by_section: dict[int | None, list[Path]] = {}
    for file in files:
        by_section.setdefault(_section(file), []).append(file)
    missing = [f"{section:02}" for wanted in sections.values() for section in wanted if section not in by_section]
    if missing:
        raise _nothing(format, folder, f"the section folders {', '.join(missing)} too (or single files with --train)")
    return {split: [file for section in wanted for file in by_section[section]] for split, wanted in sections.items()}


def _present(splits: Splits) -> Splits:
    return {split: files for split, files in splits.items() if files}


def _nothing(format: str, folder: Path, expected: str) -> UsageError:
    names = sorted(entry.name + "/" * entry.is_dir() for entry in folder.iterdir())
    found = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return UsageError(
        f"{folder}: expected {expected}, found {found or 'nothing'}; data/README.md shows the layout for {format!r}"
    )
