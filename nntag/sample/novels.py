"""Generated novels: a seed in, a folder laid out like the Sherlock challenge out, with its questions.

`Holmes_Training_Data/*.TXT` are novels with CRLF, lines of about 70 characters, chapter heads and, before and after
them, notices in wording of our own that carry the markers by which the Gutenberg reader finds a novel's ends: those of
the 1990s in one half of the files, the later ones in the other. The questions (`cloze.py`) stand beside them in both
distributed forms. All of it is generated; no sentence was taken from anywhere.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from pathlib import Path

from nntag.sample.cloze import make_questions, write_questions
from nntag.sample.derivations import Derivation, Node, iterate_leaves
from nntag.sample.generator import SentenceGenerator
from nntag.sample.lexicon import TOPIC_TABLE, list_words
from nntag.sample.scope import Random
from nntag.sample.writers import join_tokens, run_together

NOVEL_SENTENCES = 1500  # sentences in a novel, or fewer so that there are three
MOST_QUESTIONS = 1040  # as many as the challenge has
FEWEST_QUESTIONS = 50
TITLE_WORDS = list_words("Lantern Orchard Verdict Viaduct Pendulum Ledger Lullaby Harbour Tonic Kettle Satchel Gallows")
TITLE_PLACES = list_words("Ashford Winbury Holmouth Millwick Thornhaven Stoneport Redcliffe Harwick Fenbridge Coldstow")
AUTHORS = list_words("Agnes_Holridge Peter_Millgate Clara_Thornby Oscar_Wetherman Maud_Brackley Hugo_Fenshaw")

OLD_HEADER = """\
The Project Gutenberg Etext of {title}, by {author}

This is no Etext of that project: the text was generated, and only imitates the layout of one.

{title}

by {author}

*END*THE SMALL PRINT! FOR GENERATED TEXTS*Ver.01.01.01*END*
"""
OLD_FOOTER = "End of The Project Gutenberg Etext of {title}, by {author}\n"
NEW_HEADER = """\
Title: {title}
Author: {author}

This file was generated and only imitates the layout of an eBook.

*** START OF THIS PROJECT GUTENBERG EBOOK {upper} ***
"""
NEW_FOOTER = """\
*** END OF THIS PROJECT GUTENBERG EBOOK {upper} ***

Nothing after this line belongs to the novel.
"""


def write_sherlock(folder: Path, size: int, seed: int | str) -> dict[str, Path]:
    """Write novels of `size` sentences and the questions; gives `train` (the novels' folder) and each question file."""
    count = max(FEWEST_QUESTIONS, min(MOST_QUESTIONS, size // 10))
    questions, held_out = make_questions(count, f"{seed}-questions")
    novels = folder / "Holmes_Training_Data"
    novels.mkdir(parents=True, exist_ok=True)
    _write_novels(novels, size, f"{seed}-novels", held_out)
    return {"train": novels, **write_questions(folder, questions)}


def _write_novels(folder: Path, size: int, seed: str, held_out: frozenset[str]) -> None:
    generator, choose = SentenceGenerator(seed), random.Random(f"{seed}-layout").random
    count = max(3, -(-size // NOVEL_SENTENCES))
    for number in range(count):
        title = f"The {TITLE_WORDS.pick(choose)} of {TITLE_PLACES.pick(choose)}"
        names = {"title": title, "author": AUTHORS.pick(choose).replace("_", " "), "upper": title.upper()}
        header, footer = (OLD_HEADER, OLD_FOOTER) if number % 2 == 0 else (NEW_HEADER, NEW_FOOTER)
        sentences = size // count + (number < size % count)
        parts = [header.format(**names), "", *_write_chapters(generator, choose, sentences, held_out)]
        text = "\n".join([*parts, "", footer.format(**names)])
        # 8.3 file names, as on the discs of the time
        (folder / f"GEN{number + 1:03d}10.TXT").write_bytes(text.replace("\n", "\r\n").encode("ascii"))


def _write_chapters(
    generator: SentenceGenerator, choose: Random, sentences: int, held_out: frozenset[str]
) -> Iterator[str]:
    """Chapter heads and paragraphs; a paragraph keeps to one of the chapter's two topics."""
    chapter = 0
    while sentences > 0:
        chapter += 1
        yield f"\n\nCHAPTER {_write_roman(chapter)}\n"
        topics = [TOPIC_TABLE.pick(choose), TOPIC_TABLE.pick(choose)]
        for _ in range(8 + int(8 * choose())):
            topic = topics[int(2 * choose())]
            length = min(sentences, 3 + int(5 * choose()))
            spoken: list[str] = []
            while len(spoken) < length:
                generated = generator.generate(topic)
                if join_tokens(generated.derivation) not in held_out:
                    spoken.append(_write_sentence(generated.derivation))
            sentences -= length
            if spoken:
                yield textwrap.fill("  ".join(spoken), 70, break_on_hyphens=False, break_long_words=False) + "\n"


def _write_sentence(root: Node) -> str:
    """Running text; what somebody says stands between quotation marks."""
    body = root.children[0]
    if isinstance(body, Node) and body.rule == "ba" and body.children[1].category == r"S[dcl]\S[dcl]":
        said, report = (_list_words(child) for child in body.children)
        return f'"{run_together(said)}" {run_together(report)}.'
    return run_together(_list_words(root))


def _list_words(derivation: Derivation) -> list[str]:
    return [leaf.word for leaf in iterate_leaves(derivation)]


def _write_roman(number: int) -> str:
    text = ""
    for value, letters in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        text += letters * (number // value)
        number %= value
    return text
