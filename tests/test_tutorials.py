"""Every command of docs/tutorials works in its order, and its output is what the page shows.

The plain test makes the samples and the trainings small, as that of README does, and runs `nntag` within this process.
What the pages show belongs to the sizes that they name: `-m slow` runs them at those, and looks for each line shown in
the output, one after another (`...` stands for lines left out). Times are never shown.
"""

from __future__ import annotations

import doctest
import importlib.util
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nntag.sample import write_sample
from tests.command_line import run_nntag
from tests.test_readme import make_small

PAGES = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("[!R]*.md"))
SIZE = 20
OWN_FILES = {  # what the sections on the reader's own data name: format and name of each split's file
    "pos-tagger": ("conllu", "en-{}.conllu"),
    "supertagger": ("ccgbank", "{}.auto"),
    "language-model": ("text", "{}.txt"),
    "sentiment": ("sst", "{}.trees"),
}


def read_commands(page: Path) -> list[tuple[str, list[str]]]:
    """Each command of a page with the lines shown below it. A block in which no line begins with `$` is commands all
    through, without output; lines of Python are left to `read_python`."""
    commands: list[tuple[str, list[str]]] = []
    blocks: list[list[str]] = [[]]
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            blocks[-1].append(line[4:])
        elif not line and blocks[-1] and blocks[-1][0].startswith("$"):
            blocks[-1].append("")  # within what is shown
        elif line and blocks[-1]:
            blocks.append([])
    for block in blocks:
        if not block or block[0].startswith(">>>"):
            continue
        if not any(line.startswith("$ ") for line in block):
            commands += [(line, []) for line in block]
            continue
        for line in block:
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif line:
                commands[-1][1].append(line)
    return commands


def read_python(page: Path) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))


def run(command: str, small: bool) -> tuple[str, str]:
    """What a pipeline writes to stdout and stderr; its parts that are not `nntag` run as processes of their own."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    data, remarks, target = b"", "", None
    for words in split_pipeline(list(lexer)):
        if ">" in words:
            words, target = words[: words.index(">")], words[-1]
        if words[0] == "nntag":
            finished = run_nntag(*(make_smaller(words[1:]) if small else words[1:]), stdin=data)
            assert finished.code == 0, f"{command}\n{finished.err}"
            data, remarks = finished.out.encode(), remarks + finished.err
        else:
            data = subprocess.run(words, input=data, stdout=subprocess.PIPE).stdout
    if target is not None:
        Path(target).write_bytes(data)
        data = b""
    return data.decode(), remarks


def make_smaller(words: list[str]) -> list[str]:
    if "--sample-size" in words:
        place = words.index("--sample-size")
        words = words[:place] + words[place + 2 :]
    return make_small(words)


def split_pipeline(words: list[str]) -> Iterator[list[str]]:
    while "|" in words:
        yield words[: words.index("|")]
        words = words[words.index("|") + 1 :]
    yield words


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files that a page calls the reader's own."""
    monkeypatch.chdir(tmp_path)
    format, name = OWN_FILES[request.getfixturevalue("page").stem]
    for split, file in write_sample(format, tmp_path / "made", SIZE).items():
        shutil.copy(file, name.format(split))
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_work_in_their_order(page: Path, here: Path) -> None:
    commands = [command for command, _ in read_commands(page)]
    assert len(commands) > 8, "are its blocks written in another way?"
    for command in commands:
        if not needs_depccg(command) or importlib.util.find_spec("depccg"):
            run(command, small=True)
    space: dict[str, object] = {}
    for example in read_python(page):
        exec(example.source, space)


def needs_depccg(command: str) -> bool:
    return command.startswith("nntag parse") or "| nntag parse" in command or "parsed.auto" in command


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_true(page: Path, here: Path) -> None:
    for command, shown in read_commands(page):
        if uses_own_files(command) or needs_depccg(command) and not importlib.util.find_spec("depccg"):
            continue
        results, remarks = (iter(text.splitlines()) for text in run(command, small=False))
        for line in shown:
            found = remarks if line.startswith("nntag: ") else results  # a terminal shows both as they come
            assert line == "..." or line in map(str.rstrip, found), (
                f"{command}\nnot there, or not in this order: {line}"
            )
    space: dict[str, object] = {}
    for example in read_python(page):
        if example.want:
            assert repr(eval(example.source, space)) == example.want.strip()
        else:
            exec(example.source, space)


def uses_own_files(command: str) -> bool:
    return "mine" in command or "data/processed/en" in command or "runs/en" in command


def test_each_page_is_in_the_index_and_has_python_or_a_parse() -> None:
    index = (PAGES[0].parents[1] / "README.md").read_text(encoding="utf-8")
    assert {page.stem for page in PAGES} == set(OWN_FILES)
    for page in PAGES:
        assert f"tutorials/{page.name}" in index
        assert read_python(page) or any("nntag parse" in command for command, _ in read_commands(page))
