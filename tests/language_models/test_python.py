"""Language models from Python: the next words and the scores of words, against the scores of whole sentences."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import nntag
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.errors import UsageError
from nntag.language_models.mixture import LanguageModel, load_language_model
from nntag.language_models.ngram.arpa_runs import export_arpa, import_arpa
from tests.tiny_data import make_tiny_data

MODELS = {
    "rm": {"hidden": 5, "memory": 3},
    "lstm-lm": {"hidden": 6, "layers": 2},
    "memn": {"hidden": 5, "memory": 2},
    "ngram": {"order": 3},
    "rm-bidirectional": {"hidden": 4, "memory": 2},
    "backward": {"hidden": 4, "backward": True},
}
BEGINNINGS = ([], ["The"], ["The", "unheard-of", "man"])


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    data = make_tiny_data("lm", folder, 40).path
    for name, settings in MODELS.items():
        model = "lstm-lm" if name == "backward" else name
        values = settings if name == "ngram" else {"train.epochs": 1, **settings}
        train(TrainOptions(model, data, folder / name, settings=values))
    export_arpa(folder / "ngram.arpa", folder / "ngram")
    import_arpa(folder / "ngram.arpa", folder / "arpa")
    return folder


def load(runs: Path, *names: str) -> LanguageModel:
    return load_language_model([runs / name for name in names])


@pytest.mark.parametrize("names", [("rm",), ("lstm-lm",), ("memn",), ("ngram",), ("arpa",), ("lstm-lm", "ngram")])
@pytest.mark.parametrize("tokens", BEGINNINGS, ids=len)
def test_next_words_have_the_probabilities_that_scores_give_them(names, tokens, runs):
    model = load(runs, *names)
    found = model.next_words(tokens, count=10_000)
    assert len(found) == len({word for word, _ in found}) == len(model.vocabulary)
    assert sum(probability for _, probability in found) == pytest.approx(1, abs=1e-5)
    assert [p for _, p in found] == sorted((p for _, p in found), reverse=True)
    for word, probability in (*found[:4], *found[-2:], *(pair for pair in found if pair[0].startswith("<"))):
        following = [] if word == "</s>" else [word]  # behind a whole sentence stands its end
        scored = model.score_words([*tokens, *following])[len(tokens)]
        assert scored == (word, pytest.approx(math.log(probability), rel=1e-5))
    assert model.next_words(tokens, 3) == found[:3]


def test_weights_of_a_mixture_count(runs):
    model = load(runs, "lstm-lm", "ngram")
    model.weights = model.weights * 0 + [0, 1]
    assert model.next_words(["The"], 5) == load(runs, "ngram").next_words(["The"], 5)


def test_scores_of_the_words_of_a_sentence(runs):
    model = nntag.load(runs / "rm")
    scored = model.score_words(["The", "man"])
    assert [word for word, _ in scored] == ["The", "man", "</s>"]
    assert [log for _, log in scored] == model.score_sentences([["The", "man"]])[0].tolist()
    assert [word for word, _ in model.score_words([])] == ["</s>"]
    assert len(nntag.load(runs / "rm-bidirectional").score_words(["The"])) == 2


def test_what_cannot_be_answered(runs):
    model = nntag.load(runs / "rm")
    for method in (model.next_words, model.score_words):
        with pytest.raises(TypeError, match="list of tokens"):
            method("The man")
        with pytest.raises(UsageError, match="reserved"):
            method(["<s>", "The"])
    with pytest.raises(UsageError, match="count must be at least 1, found 0"):
        model.next_words(["The"], 0)
    for name in ("backward", "rm-bidirectional"):
        with pytest.raises(UsageError, match=f"{name}.*from left to right"):
            nntag.load(runs / name).next_words(["The"])
