"""`nntag preprocess` for tagging corpora: corpus files in, a data folder with text, vocabularies and counts out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.config.columns import join_columns
from nntag.config.options.preprocess import PreprocessOptions
from nntag.corpora.records import Tree
from nntag.corpora.splits import split_off_dev
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta
from nntag.encoding.labels import check_training_tags
from nntag.encoding.overlap import SentenceHashes, describe_overlap
from nntag.encoding.preprocessing import OVERLAP, Corpus, Preprocessed, warn_if_long
from nntag.encoding.vocabulary import count_all, rank_by_count
from nntag.errors import DataError
from nntag.json_files import write_json
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.tagging.column_counts import ColumnCounts
from nntag.tagging.corpus_files import (
    TaggedSentence,
    has_derivations,
    read_derived_sentences,
    read_tagged_sentences,
)
from nntag.tagging.parsing.grammar import GRAMMAR_FILE, Grammar, count_grammar, write_grammar
from nntag.tagging.tag_columns import columns_to_json
from nntag.tagging.text_files import write_columns_file

DEV_SHARE = 0.1  # of the training sentences, where there is no dev file


def preprocess_tagging(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads the files of each split (`train`; `dev` and `test` where there are any) and writes the data folder `out`.

    Without dev files, a tenth of the training sentences becomes dev, chosen by the seed. Training tags seen fewer than
    `tag_cutoff` times become `RARE`; dev and test keep theirs. Raises `DataError`, `UsageError`, `RunError`.
    """
    options, sources = corpus.options, corpus.sources
    derivations: list[Tree] = []
    splits = {
        split: list(_read_files(split, files, corpus, progress, derivations if split == "train" else None))
        for split, files in sources.items()
    }
    for split, sentences in splits.items():
        if not sentences:
            raise DataError(str(sources[split][0]), None, f"no sentences for {split}")
    notes = []
    if "dev" not in splits:
        splits["train"], splits["dev"] = split_off_dev(splits["train"], DEV_SHARE, options.seed, sources["train"][0])
        if derivations:
            derivations, _ = split_off_dev(derivations, DEV_SHARE, options.seed, sources["train"][0])
        notes.append(f"no dev set given: {len(splits['dev'])} training sentences were split off by seed {options.seed}")
    columns = _count_columns(splits["train"], options)
    splits["train"] = list(zip((tokens for tokens, *_ in splits["train"]), *(c.train for c in columns), strict=True))
    warn_if_long(corpus, (len(tokens) for sentences in splits.values() for tokens, *_ in sentences))
    grammar = count_grammar(derivations) if derivations else None
    if grammar and grammar.wide:
        notes.append(
            f"{grammar.wide.total()} nodes have more than two children; the grammar for `nntag parse` leaves them out"
        )
    _write_folder(Path(out), corpus, splits, grammar, columns)
    data = open_data_folder(out)
    notes += [note for column in columns for note in column.notes]
    for split, counts in data.meta["splits"].items():
        notes += describe_overlap(split, counts.get(OVERLAP, 0), counts["sentences"])
    return Preprocessed(data, [*notes, *corpus.notes()])


def _count_columns(train: list[TaggedSentence], options: PreprocessOptions) -> list[ColumnCounts]:
    """The columns of the training split, each by its name where there are several."""
    names = [name or "" for name in options.columns] if len(options.columns) > 1 else [""]
    rows = ([sentence[place] for sentence in train] for place in range(1, len(names) + 1))
    return [ColumnCounts(tags, options.tag_cutoff, name) for tags, name in zip(rows, names, strict=True)]


def _write_folder(
    out: Path,
    corpus: Corpus,
    splits: Mapping[str, list[TaggedSentence]],
    grammar: Grammar | None,
    columns: Sequence[ColumnCounts],
) -> None:
    """Texts, vocabularies of the training split, its grammar where it has derivations, and counts.

    Raises `DataError` for tags that cannot be learned.
    """
    options = corpus.options
    word_counts = count_all(tokens for tokens, *_ in splits["train"])
    for column, name in zip(columns, options.columns, strict=True):
        check_training_tags(column.counts, len(word_counts), str(corpus.sources["train"][0]), name)
    for split in ("dev", "test"):
        for place, column in enumerate(columns, 1):
            column.warn_of_unseen(split, [sentence[place] for sentence in splits.get(split, [])])
    words = rank_by_count(word_counts)
    vocabularies = {
        "words": words,
        "word_counts": [word_counts[word] for word in words],
        **columns_to_json([column.to_column() for column in columns], always_rare=True),
    }
    counts = {split: _count_split(sentences, word_counts, columns) for split, sentences in splits.items()}
    train = SentenceHashes(tokens for tokens, *_ in splits["train"])
    for split in counts.keys() - {"train"}:
        counts[split][OVERLAP] = SentenceHashes(tokens for tokens, *_ in splits[split]).count_known(train)
    details = corpus.describe() | {"column": join_columns(options.columns), "tag_cutoff": options.tag_cutoff}
    details["word_types"] = len(words)
    for column in columns:
        details |= column.describe()
    with create_data_folder(out, options.force, options.in_use) as folder:
        for split, sentences in splits.items():
            write_columns_file(folder / f"{split}.tsv", sentences)
        write_json(folder / "vocab.json", vocabularies)
        if grammar:
            write_grammar(folder / GRAMMAR_FILE, grammar)
        write_meta(folder, task="tagging", corpus=corpus.format, splits=counts, **details)


def _read_files(
    split: str,
    files: Sequence[str | Path],
    corpus: Corpus,
    progress: ProgressCallback,
    derivations: list[Tree] | None = None,
) -> Iterator[TaggedSentence]:
    """The sentences of a split; `derivations` is filled where the corpus has them."""
    count = 0
    format, column = corpus.format, corpus.options.column
    for file in files:
        if derivations is not None and has_derivations(format, column):
            pairs = read_derived_sentences(file, format, corpus.on_bad, column)
            sentences = _keep_derivations(pairs, derivations)
        else:
            sentences = read_tagged_sentences(file, format, column, corpus.on_bad)
        for sentence in sentences:
            count += 1
            yield sentence
            if count % 1000 == 0:
                progress(Progress(f"reading {split}", count, None, "sentences"))
    progress(Progress(f"reading {split}", count, count, "sentences", finished=True))


def _keep_derivations(
    pairs: Iterable[tuple[TaggedSentence, Tree]], derivations: list[Tree]
) -> Iterator[TaggedSentence]:
    for sentence, tree in pairs:
        derivations.append(tree)
        yield sentence


def _count_split(
    sentences: list[TaggedSentence], word_counts: Counter[str], columns: Sequence[ColumnCounts]
) -> dict[str, Any]:
    """Counts of a split, and how much of it training has not seen."""
    tokens = [token for words, *_ in sentences for token in words]
    types: dict[str, int] = {}
    unseen: dict[str, float] = {}
    for place, column in enumerate(columns, 1):
        found, missing = column.describe_split([sentence[place] for sentence in sentences])
        types |= found
        unseen |= missing
    unseen_words = sum(token not in word_counts for token in tokens) / len(tokens)
    return {"sentences": len(sentences), "tokens": len(tokens), **types, "unseen_words": unseen_words, **unseen}
