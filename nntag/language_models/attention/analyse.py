"""`nntag analyse attention`: a run with a memory block and a text in, a folder of numbers, figures and a page out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nntag.config.fields import refuse_flags, unknown_name
from nntag.config.options.use import AnalyseOptions
from nntag.corpora.lines import split_spaces
from nntag.errors import RunError, UsageError
from nntag.files import replace_files
from nntag.json_files import write_json
from nntag.language_models.attention.collect import Guess, collect_attention, find_likeliest
from nntag.language_models.attention.dependencies import DependencyStatistics, add_all
from nntag.language_models.attention.page import write_page
from nntag.language_models.attention.plots import check_plots, draw_all
from nntag.language_models.attention.statistics import (
    Attention,
    FarPairs,
    count_cooccurrences,
    find_far_pairs,
    list_pairs,
    mean_by_position,
    sample_predictions,
    summarise_distances,
)
from nntag.language_models.attention.tables import write_tables
from nntag.language_models.attention.text import open_parsed, open_text
from nntag.language_models.mixture import LanguageModel, load_language_model, looks_ahead
from nntag.language_models.preprocessing.text import RESERVED
from nntag.language_models.streams import BOUNDARY, SENTENCE_START, UNKNOWN
from nntag.progress import Progress, ProgressCallback, ignore_progress

LEAST_PATHS = 20  # ours: a path is reported if it has at least this many pairs
MOST_CANDIDATES = 3_000  # far pairs whose predictions are looked at to find examples
MOST_EXAMPLES = 30
PAGE = "index.html"
PARTS = ("positions", "samples", "distances", "examples", "pairs", "relations", "paths")  # stems of the files


@dataclass(frozen=True)
class AttentionAnalysis:
    """Where everything was written, and the numbers."""

    folder: Path
    page: Path
    report: dict[str, Any]


def analyse_attention(options: AnalyseOptions, progress: ProgressCallback = ignore_progress) -> AttentionAnalysis:
    """Analyses the attention of a run (by default the newest language model) on a split or a corpus file.

    The dependency part needs heads: from `data` where it is a CoNLL-U file, else from the CoNLL-U file `treebank`.
    Raises `UsageError`, `RunError`, `DataError`.
    """
    check_plots()
    loaded = _load_forward_model(options.model, options.device)
    run = loaded.runs[0]
    folder = Path(options.out) if options.out else run.path.parent.parent / "attention"
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: --out must be a folder")
    text = open_text(loaded, options.data, options.split)
    attention = collect_attention(run.model, text.stream, progress)
    report: dict[str, Any] = {"run": str(run.path), "model": run.settings.name, "data": text.source}
    report |= {"sentences": len(text.stream), "predictions": len(text.stream.ids), "memory": attention.memory}
    report |= {"unknown": float((np.asarray(text.stream.ids) == UNKNOWN).mean())}
    report["positions"] = mean_by_position(attention)
    chosen = sample_predictions(attention, options.samples, options.seed)
    report["samples"] = [_describe(loaded, attention, place) for place in chosen]
    report |= _analyse_far_pairs(loaded, attention, progress)
    parsed, parsed_attention = text.parsed, attention
    if options.treebank is not None:
        parsed_text = open_parsed(loaded, str(options.treebank))
        parsed, parsed_attention = parsed_text.parsed, collect_attention(run.model, parsed_text.stream, progress)
        report["treebank"] = parsed_text.source
    if parsed is not None:
        statistics = DependencyStatistics(attention.memory)
        add_all(statistics, parsed, parsed_attention)
        report["relations"] = statistics.report_relations()
        report["paths"] = statistics.report_paths(LEAST_PATHS)
    relations = _choose_relations(options.relations, report)
    page = _write(folder, loaded, attention, report, options.sentences, relations, progress)
    return AttentionAnalysis(folder, page, report)


def _choose_relations(given: str | None, report: dict[str, Any]) -> list[str]:
    """The rows of the relation figure; raises `UsageError` for one that the text does not have."""
    chosen = [part.strip() for part in given.split(",")] if given else []
    known = [row["relation"] for row in report["relations"]["relations"]] if report.get("relations") else []
    for relation in chosen:
        if relation not in known:
            reason = unknown_name("relation", relation, known) if known else "there is no parsed text; give --treebank"
            raise UsageError(f"--relations: {reason}")
    return chosen


def explain_text(options: AnalyseOptions, count: int = 3) -> list[dict[str, Any]]:
    """One tokenised sentence, for the terminal: `explain_sentence` of `options.text` with the run `options.model`."""
    unused = ("data", "split", "treebank", "relations", "out", "samples", "sentences", "seed")
    refuse_flags(options, unused, "has no meaning with --text, which is shown and not analysed")
    tokens = split_spaces(options.text or "")
    if not tokens:
        raise UsageError("--text holds no words")
    if not RESERVED.isdisjoint(tokens):
        raise UsageError("--text: the words <s> and </s> are reserved: sentence borders are added")
    return explain_sentence(_load_forward_model(options.model, options.device), tokens, count)


def explain_sentence(model: LanguageModel, tokens: Sequence[str], count: int = 3) -> list[dict[str, Any]]:
    """For each word to predict its history with the weights, oldest first, and the `count` likeliest words."""
    stream = model.vocabulary.encode_sentences([tokens])
    attention = collect_attention(model.runs[0].model, stream)
    guesses = find_likeliest(model.runs[0].model, stream, np.arange(len(stream.ids)), model.vocabulary, count)
    words = [SENTENCE_START, *tokens, model.vocabulary.words[BOUNDARY]]
    rows = []
    for step, top in enumerate(guesses):
        first = max(0, step + 1 - attention.memory)
        rows.append(
            {
                "predicted": words[step + 1],
                "log_probability": -float(attention.nats[step]),
                "history": words[first : step + 1],
                "weights": attention.weights[step, attention.memory - (step + 1 - first) :].tolist(),
                "top": _guesses(top),
            }
        )
    return rows


def _load_forward_model(model: str | Path | None, device: str) -> LanguageModel:
    """The run, by default the newest; raises `UsageError` where it reads from right to left or sees both sides."""
    loaded = load_language_model([model] if model else [], device)
    run = loaded.runs[0]
    if loaded.tasks[0].backward or looks_ahead(run):
        raise UsageError(f"{run.path}: only the attention of models that read from left to right can be analysed")
    return loaded


def _analyse_far_pairs(model: LanguageModel, attention: Attention, progress: ProgressCallback) -> dict[str, Any]:
    """Table 3 and the examples of Figure 5; training counts need the data folder that the run was trained on."""
    pairs = find_far_pairs(attention)
    try:
        train = model.open_split(model.runs[0].open_data(), "train")
        progress(Progress("counting pairs in the training data", 0, None, "pairs"))
        counts = count_cooccurrences(train, pairs.attended, pairs.predicted, attention.memory)
    except RunError:  # the data folder has gone
        counts = None
    zeros = np.zeros((len(pairs.places), attention.memory), np.int64)
    known = zeros if counts is None else counts
    return {
        "training_counts": counts is not None,
        "far_pairs": len(pairs.places),
        "far_left_out": pairs.left_out,
        "distances": summarise_distances(pairs, known),
        "pairs": list_pairs(pairs, known, model.vocabulary.words),
        "examples": _find_examples(model, attention, pairs),
    }


def _find_examples(model: LanguageModel, attention: Attention, pairs: FarPairs) -> list[dict[str, Any]]:
    """Figure 5: far pairs whose word is among the five likeliest, by weight times probability, each pair once."""
    order = np.argsort(attention.nats[pairs.places] - np.log(pairs.weights), kind="stable")[:MOST_CANDIDATES]
    places = pairs.places[order]
    tops = find_likeliest(model.runs[0].model, attention.stream, places, model.vocabulary)
    examples: list[dict[str, Any]] = []
    seen = set()
    for number, place, top in zip(order, places, tops, strict=True):
        key = (int(pairs.attended[number]), int(pairs.predicted[number]))
        example = _describe(model, attention, int(place))
        if key in seen or example["predicted"] not in [word for word, _ in top]:
            continue
        seen.add(key)
        attended = model.vocabulary.words[key[0]]
        distance = int(pairs.distances[number])
        examples.append(example | {"attended": attended, "distance": distance, "top": _guesses(top)})
        if len(examples) == MOST_EXAMPLES:
            break
    return examples


def _describe(model: LanguageModel, attention: Attention, place: int) -> dict[str, Any]:
    """A prediction: its word, its history and the weights, as long as the history is."""
    words, stream = model.vocabulary.words, attention.stream
    start = int(stream.starts[np.searchsorted(stream.starts, place, side="right") - 1])
    history = [words[number] for number in stream.ids[max(start, place - attention.memory) : place]]
    if place - start < attention.memory:
        history.insert(0, SENTENCE_START)
    return {
        "predicted": words[stream.ids[place]],
        "log_probability": -float(attention.nats[place]),
        "history": history,
        "weights": attention.weights[place, attention.memory - len(history) :].tolist(),
    }


def _guesses(top: Iterable[Guess]) -> list[dict[str, Any]]:
    return [{"word": word, "log_probability": log} for word, log in top]


def _write(
    folder: Path,
    model: LanguageModel,
    attention: Attention,
    report: dict[str, Any],
    shown: int,
    relations: Sequence[str],
    progress: ProgressCallback,
) -> Path:
    """Writes the files beside their places first, so that an interrupted analysis leaves none or an earlier one's."""
    folder.mkdir(parents=True, exist_ok=True)
    with replace_files(folder) as partial:
        write_json(partial / "attention.json", report)
        write_tables(report, partial)
        draw_all(report, partial, relations)
        stream = attention.stream
        stop = int(stream.starts[min(shown, len(stream))])
        progress(Progress("writing the page", 0, None, "sentences"))
        guesses = find_likeliest(model.runs[0].model, stream, np.arange(stop), model.vocabulary)
        write_page(partial / PAGE, report, attention, model.vocabulary, guesses)
        for part in PARTS:  # an earlier analysis may have had parts that this one has not
            for suffix in ("csv", "png", "svg"):
                (folder / f"{part}.{suffix}").unlink(missing_ok=True)
    return folder / PAGE
