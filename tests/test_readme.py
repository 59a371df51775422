"""Every command block of README.md works as printed, section by section, on small corpora laid out as it says.

Two things are changed in what is printed, to make it small: fewer sentences to a sample, one epoch and few units to a
training. Output that README shows is not compared: it is that of real sizes.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from nntag.config.registry import find_model
from nntag.sample import write_sample
from tests.command_line import run_nntag

README = Path(__file__).parents[1] / "README.md"
SIZE = 20  # training sentences
LEFT_OUT = {  # the beginning of a line -> why it is not run
    "make demo": "installs into an environment of its own; `.ci/run` and users run it",
    "make test": "would run this test again",
    "pip install": "installs",
    "nntag experiment tran2016-table4": "trains the paper's models for days, on a GPU",
    "nntag experiment wu2016-table2": "minutes even when small; tests/experiments runs experiments",
    "nntag parse": "needs depccg; tests/tagging/parsing/test_command.py runs it",
    "nntag eval --parses": "needs what `nntag parse` writes; the same file runs it",
    "nntag tag --engine ray": "needs ray; tests/integrations/test_ray.py runs it",
    "nntag train --contextual FOLDER": "needs a pre-trained encoder; tests/tagging/test_contextual.py makes one",
}


def read_sections(text: str) -> dict[str, list[list[str]]]:
    """The indented blocks under each heading, as lists of lines."""
    sections: dict[str, list[list[str]]] = {}
    blocks: list[list[str]] = []
    previous = ""
    for line in text.splitlines():
        if line.startswith("#"):
            blocks = sections.setdefault(line.lstrip("# "), [])
        elif line.startswith("    "):
            if not previous.startswith("    "):
                blocks.append([])
            blocks[-1].append(line[4:])
        previous = line
    return {heading: blocks for heading, blocks in sections.items() if blocks}


SECTIONS = read_sections(README.read_text(encoding="utf-8"))
NO_COMMANDS = {"How it is built"}  # its block is a diagram


def find_commands(blocks: list[list[str]]) -> Iterator[str]:
    """The command lines of a section. Where it shows output, a command stands behind `$` or in a block that begins
    with one, and what does not is output; elsewhere every line is a command."""
    shows_output = any(line.startswith("$ ") for block in blocks for line in block)
    for block in blocks:
        if is_python(block):
            continue
        is_input = not shows_output or re.match("(nntag|make|pip) ", block[0])
        yield from (line.removeprefix("$ ") for line in block if is_input or line.startswith("$ "))


def is_python(block: list[str]) -> bool:
    return block[0] in ("import nntag", "import spacy")


@pytest.fixture(scope="module")
def corpora(tmp_path_factory) -> Path:
    """A working directory with everything that README's commands expect to find."""
    folder = tmp_path_factory.mktemp("readme")
    raw = folder / "data" / "raw"
    for format in ("ccgbank", "ptb", "sherlock", "sst"):
        write_sample(format, raw / format, SIZE)
    for format, name in (("conllu", "en-{}.conllu"), ("text", "{}.txt")):
        for split, file in write_sample(format, folder / "made" / format, SIZE).items():
            shutil.copy(file, folder / name.format("valid" if (format, split) == ("text", "dev") else split))
    shutil.copy(write_sample("piped", folder / "made" / "piped", SIZE)["train"], folder / "parses.staggedgold")
    shutil.copy(folder / "test.txt", folder / "sentences.txt")
    shutil.copy(raw / "sst" / "test.txt", folder / "trees.txt")
    shutil.copy(raw / "sherlock" / "testing_data.csv", folder / "QUESTIONS")
    shutil.copy(raw / "sherlock" / "test_answer.csv", folder / "ANSWERS")
    (folder / "glove.300d.txt").write_text("the 0.1 0.2\nfilm 0.3 0.4\ngood 0.5 -0.1\n")
    return folder


@pytest.fixture
def here(corpora, tmp_path, monkeypatch) -> Path:
    shutil.copytree(corpora, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("heading", [heading for heading in SECTIONS if heading not in NO_COMMANDS])
def test_the_blocks_of_a_section_work_in_their_order(heading, here):
    if heading in ("Tagging", "spaCy"):  # of a tagger that the reader has trained
        run("nntag preprocess conllu --sample")
        run("nntag train --out runs/x")
    commands = list(find_commands(SECTIONS[heading]))
    assert commands, f"no command found under {heading}: are its blocks written in another way?"
    for command in commands:
        if not command.startswith(tuple(LEFT_OUT)):
            run(command)
    for block in filter(is_python, SECTIONS[heading]):
        if block[0] == "import spacy":
            pytest.importorskip("spacy")
        exec("\n".join(block), {})


def test_nothing_is_left_out_that_is_not_there():
    commands = [command for blocks in SECTIONS.values() for command in find_commands(blocks)]
    assert [start for start in LEFT_OUT if not any(command.startswith(start) for command in commands)] == []


def test_each_kind_of_model_is_used_from_python():
    assert sum(is_python(block) for blocks in SECTIONS.values() for block in blocks) >= 3


def run(command: str) -> None:
    """Runs `nntag ...`, with `< FILE` or `echo ... |` before it; raises where it does not end well."""
    words = shlex.split(command, comments=True)
    stdin = b""
    if words[0] == "echo":
        stdin, words = f"{words[1]}\n".encode(), words[3:]
    if "<" in words:
        stdin, words = Path(words[words.index("<") + 1]).read_bytes(), words[: words.index("<")]
    assert words[0] == "nntag", f"not a command that this test can run: {command}"
    finished = run_nntag(*make_small(words[1:]), stdin=stdin)
    assert finished.code == 0, f"{command}\n{finished.err}"


def make_small(words: list[str]) -> list[str]:
    if "--sample" in words:
        return [*words, "--sample-size", str(SIZE)]
    if words[0] != "train":
        return words
    model = words[words.index("--model") + 1] if "--model" in words else "skip-gated"
    small = {} if find_model(model).counted else {"--epochs": "1", "--hidden": "4"}
    kept = [word for word, before in zip(words, ["", *words], strict=False) if not {word, before} & set(small)]
    return [*kept, *(part for pair in small.items() for part in pair)]
