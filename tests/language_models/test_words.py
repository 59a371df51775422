"""Words one by one: their ranks, the n-grams they are judged by, the next ones, and sentences made of such choices."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nntag.commands.train import train
from nntag.config.options.generate import GenerateOptions
from nntag.config.options.train import TrainOptions
from nntag.errors import UsageError
from nntag.language_models.generate import choose_word, generate_sentences
from nntag.language_models.mixture import LanguageModel, load_language_model
from nntag.language_models.streams import open_stream
from nntag.language_models.word_scores import describe_words
from tests.command_line import Finished, fails, run_nntag
from tests.tiny_data import make_tiny_data

MODELS = {
    "rm": ("rm", {"hidden": 5, "memory": 3}),
    "ngram": ("ngram", {"order": 3}),
    "two-sided": ("rm-bidirectional", {"hidden": 4, "memory": 2}),
    "backward": ("lstm-lm", {"hidden": 4, "backward": True}),
    "backward-ngram": ("ngram", {"order": 3, "backward": True}),
}
TEXT = ["The", "unheard-of", "horse", "of", "the", "farmer", "was", "near", "Anna", "."]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    data = make_tiny_data("lm", folder, 40).path
    for name, (model, settings) in MODELS.items():
        values = settings if model == "ngram" else {"train.epochs": 1, **settings}
        train(TrainOptions(model, data, folder / name, settings=values))
    return folder


def load(runs: Path, *names: str) -> LanguageModel:
    return load_language_model([runs / name for name in names])


def count_more_probable(model: LanguageModel, place: int) -> int:
    """By brute force: every word of the vocabulary is put into the place, and scored there; `</s>` has the rest."""
    backward = model.tasks[0].backward
    words = [word for word in model.vocabulary.words if word != "</s>"]
    if place < len(TEXT):
        sentences = [[*TEXT[:place], word, *TEXT[place + 1 :]] for word in words]
    else:  # in the place of the end, which is the beginning for who reads backwards
        sentences = [[word, *TEXT] if backward else [*TEXT, word] for word in words]
    entry = 0 if backward and place == len(TEXT) else place
    probabilities = [math.exp(logs[entry]) for logs in model.score_sentences(sentences)]
    own = math.exp(model.score_sentences([TEXT])[0][place])
    end = 1 - sum(probabilities) > own * (1 + 1e-3)  # rounded: the stored probabilities are of 32 bits
    return sum(p > own * (1 + 1e-6) for p in probabilities) + (end if place < len(TEXT) else 0)


@pytest.mark.parametrize("names", [(name,) for name in MODELS] + [("rm", "ngram"), ("backward", "backward-ngram")])
def test_ranks_are_those_of_brute_force(names: tuple[str, ...], runs: Path) -> None:
    model = load(runs, *names)
    described = describe_words(model, TEXT)
    assert [word.word for word in described] == [*TEXT, "</s>"]
    assert [word.rank for word in described] == [
        1 + count_more_probable(model, place) for place in range(len(TEXT) + 1)
    ]
    assert len({word.rank for word in described}) > 2  # or this shows nothing
    total = sum(word.log_probability for word in described)
    assert total == pytest.approx(float(model.score_sentences([TEXT])[0].sum()), rel=1e-12)


@pytest.mark.parametrize("name", ["ngram", "backward-ngram"])
def test_the_length_of_an_ngram_is_that_of_the_longest_in_training(name: str, runs: Path) -> None:
    model = load(runs, name)
    stream = open_stream(runs / "lm", "train")
    seen = set()
    for number in range(len(stream)):
        ids = stream[number].tolist()
        words = ["<s>", *(model.vocabulary.words[id] for id in (ids[-2::-1] if name != "ngram" else ids[:-1])), "</s>"]
        seen |= {tuple(words[i : i + k]) for k in (1, 2, 3) for i in range(len(words) - k + 1)}
    first = [model.vocabulary.words[id] for id in stream[0][:-1].tolist()]
    lengths = set()
    for tokens in (TEXT, first, [*first[:3], "unheard-of", *first[3:]]):
        known = [word if word in model.vocabulary else "<unk>" for word in tokens]
        read = ["<s>", *(known[::-1] if name != "ngram" else known), "</s>"]
        expected = [
            max(k for k in (1, 2, 3) if k <= end and tuple(read[end - k : end]) in seen or k == 1)
            for end in range(2, len(read) + 1)
        ]
        found = [word.ngram for word in describe_words(model, tokens)]
        if name != "ngram":
            found = [*found[-2::-1], found[-1]]
        assert found == expected
        lengths |= set(found)
    assert lengths == {1, 2, 3}
    assert {word.ngram for word in describe_words(load(runs, "rm"), TEXT)} == {None}


def test_score_prints_words_below_a_header(runs: Path) -> None:
    text = b"The horse\n\nunheard-of\n"
    lines = run_nntag("score", "--model", runs / "ngram", "--words", stdin=text).out.split("\n")
    assert lines[0] == "word\tlog_probability_nats\trank\tngram_length"
    described = describe_words(load(runs, "ngram"), ["The", "horse"])
    assert lines[1:4] == [f"{w.word}\t{w.log_probability:.4f}\t{w.rank}\t{w.ngram}" for w in described]
    assert lines[4:6] == ["", ""] and lines[6].startswith("unheard-of\t") and lines[8:] == ["", ""]
    header = run_nntag("score", "--model", runs / "rm", "--words", stdin=b"The\n").out.splitlines()[0]
    assert header == "word\tlog_probability_nats\trank"
    record = json.loads(run_nntag("score", "--model", runs / "ngram", "--words", "--json", stdin=b"The horse\n").out)
    assert record["words"] == ["The", "horse", "</s>"] and record["ranks"] == [w.rank for w in described]
    assert record["ngram_lengths"] == [w.ngram for w in described]
    assert sum(record["log_probabilities"]) == pytest.approx(record["log_probability"], abs=1e-5)


def test_score_splits_running_text(runs: Path) -> None:
    def score(*arguments: object, text: str = "The horse was old. Don't!\n\nThe\n") -> Finished:
        return run_nntag("score", "--model", runs / "ngram", *arguments, stdin=text.encode())

    tokenised = "The horse was old .\nDo n't !\n\nThe\n"
    assert score("--tokenize").out == score(text=tokenised).out != score().out
    assert "not tokenised (old.)" in score(text="The horse was old.\n").err
    assert "not tokenised" not in score("--tokenize").err + score(text=tokenised).err
    assert score("--tokenize", "--next", 1).out == score("--next", 1, text=tokenised).out


def test_score_tells_the_next_words(runs: Path) -> None:
    model = load(runs, "rm", "ngram")
    arguments = ("score", "--model", runs / "rm", "--model", runs / "ngram", "--next", 3)
    done = run_nntag(*arguments, stdin=b"The horse\n\n")
    expected = [model.next_words(tokens, 3) for tokens in (["The", "horse"], [])]
    assert done.out.splitlines() == ["\t".join(f"{word}\t{p:.6f}" for word, p in row) for row in expected]
    record = json.loads(run_nntag(*arguments, "--json", stdin=b"The horse\n").out)
    assert record == {"next": [[word, pytest.approx(p, abs=1e-8)] for word, p in expected[0]]}
    assert "--words has no meaning with --next" in fails(*arguments, "--words", stdin=b"The\n")
    assert "read from left to right" in fails("score", "--model", runs / "backward", "--next", 3, stdin=b"The\n")
    assert "--next must be at least 1" in fails("score", "--model", runs / "rm", "--next", 0, stdin=b"The\n")


@pytest.mark.parametrize("names", [("rm",), ("rm", "ngram")])
def test_at_temperature_0_the_likeliest_word_is_always_taken(names: tuple[str, ...], runs: Path) -> None:
    model = load(runs, *names)
    words = ["The"]
    while len(words) < 12 and (best := model.next_words(words, 1)[0][0]) != "</s>":
        words.append(best)
    for temperature in (0.0, 1e-9):
        options = GenerateOptions("The", sentences=2, max_length=12, temperature=temperature)
        for sentence in generate_sentences(model, options):
            assert sentence.words == tuple(words) and sentence.ended == (len(words) < 12)


def test_the_same_seed_gives_the_same_sentences(runs: Path) -> None:
    def write(*arguments: object) -> str:
        done = run_nntag("generate", "--model", runs / "ngram", *arguments)
        assert done.code == 0, done.err
        return done.out

    ten = write()
    assert len(ten.splitlines()) == 10 and write("--sentences", 4) == "".join(ten.splitlines(True)[:4])
    assert write("--seed", 2) != ten == write("--seed", 1)
    cut = [json.loads(line) for line in write("The horse", "--max-length", 3, "--json").splitlines()]
    assert all(record["words"][:2] == ["The", "horse"] and len(record["words"]) <= 3 for record in cut)
    assert {record["ended"] for record in cut} == {len(record["words"]) < 3 for record in cut}
    assert "<unk>" in ten and "<unk>" not in write("--known-words")
    assert "more than --max-length 1" in fails("generate", "The horse", "--model", runs / "ngram", "--max-length", 1)
    assert "--temperature must be 0 or more" in fails("generate", "--temperature", -1)
    for name in ("backward", "two-sided"):
        assert "read from left to right" in fails("generate", "--model", runs / name)
    with pytest.raises(UsageError, match="reserved"):
        next(generate_sentences(load(runs, "ngram"), GenerateOptions("<s> The")))


def test_words_are_drawn_as_often_as_they_are_probable(runs: Path) -> None:
    model, draws = load(runs, "ngram"), 3000
    options = GenerateOptions("The", sentences=draws, max_length=2, seed=3)
    drawn = Counter(
        sentence.words[1] if not sentence.ended else "</s>" for sentence in generate_sentences(model, options)
    )
    for word, p in model.next_words(["The"], 8):
        assert abs(drawn[word] - draws * p) < 4.5 * math.sqrt(draws * p * (1 - p)), word


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_temperature_is_an_exponent(temperature: float) -> None:
    p, random, draws = np.array([0.1, 0.2, 0.0, 0.3, 0.4]), np.random.default_rng(1), 20_000
    wanted = p ** (1 / temperature) / (p ** (1 / temperature)).sum()
    drawn = Counter(choose_word(p, temperature, random) for _ in range(draws))
    assert drawn[2] == 0
    for word, q in enumerate(wanted):
        assert abs(drawn[word] - draws * q) <= 4.5 * math.sqrt(draws * q * (1 - q))
    without = Counter(choose_word(p, temperature, random, known_words=True) for _ in range(2000))
    assert without[1] == 0 and set(without) == {0, 3, 4}
