"""A component of spaCy's pipelines: documents in, the same with a tag of ours on every token out (`nntag[spacy]`).

`nlp.add_pipe("nntag", config={"model": "runs/x"})`. Where the tags go follows from the column that the run was trained
on: UPOS to `token.pos_`, XPOS and other parts of speech to `token.tag_`, supertags to `token._.supertag`, anything else
to `token._.nntag`. Sentences are those that an earlier component has found; without one a document is one sentence.
Tokens of white space alone, which treebanks have not, get no tag.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from spacy import util
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Token

from nntag.config.fields import unknown_name
from nntag.encoding.contextual.source import ENCODER
from nntag.encoding.data_folder import find_column
from nntag.errors import UsageError
from nntag.json_files import read_json, write_json
from nntag.schema import Real, Record, Rows
from nntag.tagging.tag import Tagger
from nntag.training.device import choose_device
from nntag.training.ensemble import Ensemble, load_runs, members_of

ATTRIBUTES = {"UPOS": "pos_", "XPOS": "tag_", "pos": "tag_", "supertag": "_.supertag"}  # by column
OTHER = "_.nntag"
SAVED = "nntag.json"  # of a component on disk; beside it the folders run1, run2, ...
_SAVED = Record({"weights": Rows(Real(), 1)})


@Language.factory("nntag", default_config={"model": None, "weights": [], "attribute": None, "device": "cpu"})
def create_component(
    nlp: Language,
    name: str,
    model: str | list[str] | None,
    weights: list[float],
    attribute: str | None,
    device: str,
) -> NntagComponent:
    """What `nlp.add_pipe("nntag", config={...})` adds. `model`: a run, or several as an ensemble with `weights`."""
    models = [] if model is None else [model] if isinstance(model, str) else model
    return NntagComponent(name, models, weights, attribute, device)


class NntagComponent:
    """The run is loaded when it is first used, or from the pipeline's own folder, which has a copy of it."""

    def __init__(self, name: str, models: Sequence[str], weights: Sequence[float], attribute: str | None, device: str):
        choices = sorted({*ATTRIBUTES.values(), OTHER})
        if attribute not in (None, *choices):
            raise UsageError(unknown_name("attribute", attribute, choices))
        self.name = name
        self._models, self._weights, self._attribute, self._device = models, weights, attribute, device
        self._tagger: Tagger | None = None

    @property
    def tagger(self) -> Tagger:
        """Raises `RunError`, `UsageError`."""
        if self._tagger is None:
            if not self._models:
                raise UsageError('the component nntag needs a run: nlp.add_pipe("nntag", config={"model": "runs/x"})')
            self._load(self._models, self._weights)
            assert self._tagger is not None
        return self._tagger

    def _load(self, models: Sequence[str | Path], weights: Sequence[float]) -> None:
        tagger = Tagger(load_runs(models, weights, choose_device(self._device), "tagging"))
        attribute = self._attribute or ATTRIBUTES.get(find_column(tagger.run.config) or "", OTHER)
        unknown = [tag for tag in tagger.tags if tag not in IDS] if attribute == "pos_" else []
        if unknown:
            raise UsageError(
                f"token.pos_ takes UPOS tags alone, and {tagger.run.folder} has others ({', '.join(unknown[:3])}); "
                'give another "attribute", such as tag_'
            )
        if attribute.startswith("_."):
            Token.set_extension(attribute.removeprefix("_."), default=None, force=True)
        self._tagger, self._place = tagger, attribute

    def __call__(self, doc: Doc) -> Doc:
        """One document."""
        return next(iter(self._tag([doc])))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 128) -> Iterator[Doc]:
        """Documents in their order; the sentences of `batch_size` documents are tagged together."""
        for docs in util.minibatch(stream, batch_size):
            yield from self._tag(docs)

    def _tag(self, docs: list[Doc]) -> list[Doc]:
        tagger = self.tagger
        sentences = [[token for token in tokens if not token.is_space] for doc in docs for tokens in _sentences(doc)]
        tagged = tagger.tag_all([[token.text for token in tokens] for tokens in sentences])
        for tokens, tags in zip(sentences, tagged, strict=True):
            for token, tag in zip(tokens, tags, strict=True):
                if self._place.startswith("_."):
                    token._.set(self._place.removeprefix("_."), tag)
                else:
                    setattr(token, self._place, tag)
        return docs

    def to_disk(self, path: str | Path, exclude: Sequence[str] = ()) -> None:
        """Copies the runs, so that the pipeline stands alone."""
        folder, run = Path(path), self.tagger.run
        folder.mkdir(parents=True, exist_ok=True)
        for number, member in enumerate(members_of(run), 1):
            own = folder / f"run{number}"
            shutil.rmtree(own, ignore_errors=True)
            shutil.copytree(member.path.parent, own / "best")
            if (member.folder / ENCODER).is_dir():
                shutil.copytree(member.folder / ENCODER, own / ENCODER)
        weights = run.model.weights if isinstance(run.model, Ensemble) else [1.0]
        write_json(folder / SAVED, {"weights": list(weights)})

    def from_disk(self, path: str | Path, exclude: Sequence[str] = ()) -> NntagComponent:
        """Loads what `to_disk` wrote; raises `RunError`."""
        folder = Path(path)
        saved: dict[str, Any] = read_json(folder / SAVED, _SAVED, "a component of nntag that spaCy has saved")
        weights = saved["weights"]
        runs = [folder / f"run{number}" for number in range(1, len(weights) + 1)]
        self._load(runs, weights if len(runs) > 1 else ())
        return self


def _sentences(doc: Doc) -> Iterable[Iterable[Token]]:
    return doc.sents if doc.has_annotation("SENT_START") else [doc]
