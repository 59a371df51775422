"""`nntag preprocess` for tagging corpora: corpus files in, a data folder with text, vocabularies and counts out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from nntag.config.columns import join_columns
from nntag.config.options.preprocess import PreprocessOptions
from nntag.corpora.records import Tree
from nntag.corpora.splits import choose_dev
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta, write_vocabulary
from nntag.encoding.labels import check_training_tags
from nntag.encoding.overlap import SentenceHashes, describe_overlap
from nntag.encoding.preprocessing import OVERLAP, Corpus, Preprocessed, warn_if_long
from nntag.encoding.vocabulary import count_all, rank_by_count
from nntag.errors import DataError
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.tagging.column_counts import ColumnCounts, Rows
from nntag.tagging.corpus_files import (
    TaggedSentence,
    has_derivations,
    read_derived_sentences,
    read_tagged_sentences,
)
from nntag.tagging.drafts import TaggedDraft
from nntag.tagging.parsing.grammar import GRAMMAR_FILE, Grammar, count_grammar, write_grammar
from nntag.tagging.tag_columns import columns_to_json
from nntag.tagging.text_files import write_columns_file

DEV_SHARE = 0.1  # of the training sentences, where there is no dev file


def preprocess_tagging(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads the files of each split (`train`; `dev` and `test` where there are any) and writes the data folder `out`.

    Without dev files, a tenth of the training sentences becomes dev, chosen by the seed. Training tags seen fewer than
    `tag_cutoff` times become `RARE`; dev and test keep theirs. In memory are the different words and tags, and of
    CCGbank the derivations; sentences lie on disk. Raises `DataError`, `UsageError`, `RunError`.
    """
    options = corpus.options
    with create_data_folder(out, options.force, options.in_use) as folder, ExitStack() as drafts:
        splits, derivations, notes = _read_splits(folder, drafts, corpus, progress)
        columns = _count_columns(splits["train"], options)
        warn_if_long(corpus, (sentences.longest for sentences in splits.values()))
        grammar = count_grammar(derivations) if derivations else None
        if grammar and grammar.wide:
            wide = f"{grammar.wide.total()} nodes have more than two children"
            notes.append(f"{wide}; the grammar for `nntag parse` leaves them out")
        _write_folder(folder, corpus, splits, grammar, columns)
    data = open_data_folder(out)
    notes += [note for column in columns for note in column.notes]
    for split, counts in data.meta["splits"].items():
        notes += describe_overlap(split, counts.get(OVERLAP, 0), counts["sentences"])
    return Preprocessed(data, [*notes, *corpus.notes()])


def _read_splits(
    folder: Path, drafts: ExitStack, corpus: Corpus, progress: ProgressCallback
) -> tuple[dict[str, TaggedDraft], list[Tree], list[str]]:
    """The sentences of each split, the derivations of training where the corpus has them, and remarks."""
    sources, seed = corpus.sources, corpus.options.seed
    derivations: list[Tree] = []
    splits: dict[str, TaggedDraft] = {}
    for split, files in sources.items():
        splits[split] = drafts.enter_context(TaggedDraft(folder, len(corpus.options.columns)))
        for sentence in _read_files(split, files, corpus, progress, derivations if split == "train" else None):
            splits[split].add(sentence)
        if not len(splits[split]):
            raise DataError(str(files[0]), None, f"no sentences for {split}")
    if "dev" in splits:
        return splits, derivations, []
    is_dev = choose_dev(len(splits["train"]), DEV_SHARE, seed, sources["train"][0])
    with splits["train"] as whole:
        splits["train"], splits["dev"] = map(drafts.enter_context, whole.divide(is_dev))
    derivations = [tree for tree, chosen in zip(derivations, is_dev, strict=False) if not chosen]
    note = f"no dev set given: {len(splits['dev'])} training sentences were split off by seed {seed}"
    return splits, derivations, [note]


def _count_columns(train: TaggedDraft, options: PreprocessOptions) -> list[ColumnCounts]:
    """The columns of the training split, each by its name where there are several."""
    names = [name or "" for name in options.columns] if len(options.columns) > 1 else [""]
    return [ColumnCounts(train.column(place), options.tag_cutoff, name) for place, name in enumerate(names, 1)]


def _write_folder(
    folder: Path,
    corpus: Corpus,
    splits: Mapping[str, TaggedDraft],
    grammar: Grammar | None,
    columns: Sequence[ColumnCounts],
) -> None:
    """Texts, vocabularies of the training split, its grammar where it has derivations, and counts.

    Raises `DataError` for tags that cannot be learned.
    """
    options = corpus.options
    word_counts = count_all(splits["train"].column(0))
    for column, name in zip(columns, options.columns, strict=True):
        check_training_tags(column.counts, len(word_counts), str(corpus.sources["train"][0]), name)
    for split in [split for split in ("dev", "test") if split in splits]:
        for place, column in enumerate(columns, 1):
            column.warn_of_unseen(split, splits[split].column(place))
    words = rank_by_count(word_counts)
    vocabularies = {
        "words": words,
        "word_counts": [word_counts[word] for word in words],
        **columns_to_json([column.to_column() for column in columns], always_rare=True),
    }
    texts: dict[str, list[Rows]] = {
        split: [sentences.column(place) for place in range(1 + len(columns))] for split, sentences in splits.items()
    }
    texts["train"][1:] = [column.train for column in columns]
    counts = {split: _count_split(texts[split], len(splits[split]), word_counts, columns) for split in splits}
    train = SentenceHashes(texts["train"][0], folder)
    for split in counts.keys() - {"train"}:
        counts[split][OVERLAP] = SentenceHashes(texts[split][0], folder).count_known(train)
    details = corpus.describe() | {"column": join_columns(options.columns), "tag_cutoff": options.tag_cutoff}
    details["word_types"] = len(words)
    for column in columns:
        details |= column.describe()
    for split, fields in texts.items():
        write_columns_file(folder / f"{split}.tsv", zip(*fields, strict=True))
    write_vocabulary(folder, vocabularies)
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
    fields: Sequence[Rows],
    sentences: int,
    word_counts: Counter[str],
    columns: Sequence[ColumnCounts],
) -> dict[str, Any]:
    """Counts of a split, and how much of it training has not seen; `fields` are its tokens and each column of tags."""
    counts = count_all(fields[0])
    types: dict[str, int] = {}
    unseen: dict[str, float] = {}
    for column, tags in zip(columns, fields[1:], strict=True):
        found, missing = column.describe_split(tags)
        types |= found
        unseen |= missing
    unseen_words = sum(count for word, count in counts.items() if word not in word_counts) / counts.total()
    return {"sentences": sentences, "tokens": counts.total(), **types, "unseen_words": unseen_words, **unseen}
