"""The component of spaCy's pipelines: its tags are those of `nntag tag`; a saved pipeline has all that it needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nntag
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.errors import RunError, UsageError
from tests.command_line import run_nntag
from tests.tagging.tagging_files import learnable
from tests.tagging.tiny_run import SMALL, make_tiny_run
from tests.tiny_data import make_tiny_data

spacy = pytest.importorskip("spacy")

SENTENCES = [list(tokens) for tokens, _ in learnable(12, 102)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("spacy"), column="XPOS")


def make_pipeline(**config: object):
    """A pipeline that reads words between blanks, with the component, and a document from words."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("nntag", config=config)
    return nlp


def make_doc(nlp, *sentences: list[str], starts: bool = True):
    words = [word for sentence in sentences for word in sentence]
    begins = [place == 0 for sentence in sentences for place in range(len(sentence))] if starts else None
    return spacy.tokens.Doc(nlp.vocab, words=words, sent_starts=begins)


def test_the_tags_are_those_of_nntag_tag(run: Path) -> None:
    lines = "".join(" ".join(words) + "\n" for words in SENTENCES)
    tagged = run_nntag("tag", "--model", run, stdin=lines.encode()).out.split()
    wanted = [word.rpartition("|")[2] for word in tagged]
    nlp = make_pipeline(model=str(run))
    assert [token.tag_ for token in nlp(make_doc(nlp, *SENTENCES))] == wanted
    docs = [make_doc(nlp, words, starts=False) for words in SENTENCES]
    for size in (1, 5, 100):
        found = [token.tag_ for doc in nlp.pipe(docs, batch_size=size) for token in doc]
        assert found == wanted


def test_without_sentences_a_document_is_one(run: Path) -> None:
    nlp, tagger = make_pipeline(model=str(run)), nntag.load(run)
    both = SENTENCES[0] + SENTENCES[1]
    assert [token.tag_ for token in nlp(make_doc(nlp, both, starts=False))] == tagger.tag(both)


def test_white_space_and_empty_documents(run: Path) -> None:
    nlp, tagger = make_pipeline(model=str(run)), nntag.load(run)
    doc = nlp("the owl  \n sees")
    assert [token.tag_ for token in doc if not token.is_space] == tagger.tag(["the", "owl", "sees"])
    assert any(token.is_space for token in doc) and all(token.tag_ == "" for token in doc if token.is_space)
    assert len(nlp("")) == 0 and [len(doc) for doc in nlp.pipe(["", "", "owl"])] == [0, 0, 1]


@pytest.mark.parametrize("attribute", ["_.supertag", "_.nntag", "tag_"])
def test_the_place_can_be_chosen(run: Path, attribute: str) -> None:
    nlp = make_pipeline(model=str(run), attribute=attribute)
    (token,) = nlp("owl")
    found = getattr(token._, attribute[2:]) if attribute.startswith("_.") else token.tag_
    assert [found] == nntag.load(run).tag(["owl"])


def test_the_place_follows_from_the_column(tmp_path: Path) -> None:
    other = make_tiny_run(tmp_path, epochs=1)  # of the column UPOS, whose tags are not those of UD
    with pytest.raises(UsageError, match=r"token.pos_ takes UPOS tags alone, and .* has others \(VB, "):
        make_pipeline(model=str(other))("owl")
    assert make_pipeline(model=str(other), attribute="tag_")("owl")[0].tag_
    data = make_tiny_data("tagging", tmp_path / "sample").path
    upos = train(TrainOptions("skip-none", data, tmp_path / "upos", epochs=1, settings=SMALL)).run
    assert [token.pos_ for token in make_pipeline(model=str(upos))("it ran")] == nntag.load(upos).tag(["it", "ran"])


def test_what_cannot_be_used_is_named(run: Path) -> None:
    with pytest.raises(UsageError, match="needs a run: nlp.add_pipe"):
        make_pipeline()("owl")
    with pytest.raises(RunError, match="no such run folder"):
        make_pipeline(model="runs/gone")("owl")
    with pytest.raises(UsageError, match="unknown attribute 'tags_'; did you mean 'tag_'"):
        make_pipeline(model=str(run), attribute="tags_")


@pytest.mark.parametrize("members", [1, 2])
def test_a_saved_pipeline_has_its_own_copy(run: Path, tmp_path: Path, members: int) -> None:
    moving = Path(shutil.copytree(run, tmp_path / "moving"))
    both = {"model": [str(moving), str(run)], "weights": [1, 3]}
    nlp = make_pipeline(**(both if members == 2 else {"model": str(moving)}))
    words = SENTENCES[2]
    wanted = [token.tag_ for token in nlp(make_doc(nlp, words))]
    for _ in range(2):
        nlp.to_disk(tmp_path / "pipeline")
    shutil.rmtree(moving)
    again = spacy.load(tmp_path / "pipeline")
    assert [token.tag_ for token in again(make_doc(again, words))] == wanted
    (tmp_path / "pipeline" / "nntag" / "nntag.json").write_text("{}")
    with pytest.raises(RunError, match="not a component of nntag that spaCy has saved"):
        spacy.load(tmp_path / "pipeline")
