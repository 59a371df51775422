"""`nntag preprocess` for language models: any corpus of sentences in, a data folder with streams of token ids out."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.options.preprocess import PreprocessOptions
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.formats import find_format
from nntag.corpora.lines import open_lines
from nntag.corpora.marks import SENTENCE_MARKS
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta, write_vocabulary
from nntag.encoding.overlap import describe_overlap
from nntag.encoding.preprocessing import OVERLAP, Corpus, Preprocessed, warn_if_long
from nntag.errors import DataError, UsageError
from nntag.language_models.stream_writer import StreamWriter
from nntag.language_models.streams import UNKNOWN_WORD, StreamVocabulary
from nntag.progress import Progress, ProgressCallback, ignore_progress

DEV_SHARE = 0.05  # of the training sentences, where there is no dev file
REPORT_EVERY = 10_000  # sentences
RESERVED = SENTENCE_MARKS


def preprocess_text(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads the files of each split and writes the data folder `out`: one pass, in memory that a larger text
    does not make larger, but for the vocabulary.

    The vocabulary is the `vocab_size` most frequent training words (with `</s>` and `<unk>`) seen at least `min_count`
    times: by default once where the training text already has `<unk>`, and twice where it does not. With `lowercase`,
    text is lowercased, here and wherever the model reads some. Without dev files, a share of the training
    sentences becomes dev, chosen by the seed. Raises `DataError`, `UsageError`, `RunError`.
    """
    options = corpus.options
    check_sizes(options)
    with create_data_folder(out, options.force, options.in_use) as folder, ExitStack() as open_writers:
        writers = _read_splits(folder, open_writers, corpus, progress)
        train = writers["train"]
        needed = options.min_count or (1 if train.has_unknown else 2)
        counted = choose_words(train, options.vocab_size, needed, corpus.sources["train"][0])
        vocabulary = StreamVocabulary(counted.words, options.lowercase)
        splits = {split: finish_split(writer, vocabulary, train) for split, writer in writers.items()}
        warn_if_long(corpus, (writer.longest for writer in writers.values()))
        write_vocabulary(folder, {"lowercase": options.lowercase, "words": counted.words, "counts": counted.counts})
        write_meta(
            folder,
            task="lm",
            corpus=corpus.format,
            splits=splits,
            vocabulary=len(vocabulary),
            word_types=counted.types,
            min_count=needed,
            lowercase=options.lowercase,
            **corpus.describe(),
        )
    size = (
        f"vocabulary: {len(vocabulary):,} words with </s> and <unk>, of {counted.types:,} seen; minimum count {needed}"
    )
    return Preprocessed(open_data_folder(out), [size, *_notes(corpus, splits)])


def finish_split(writer: StreamWriter, vocabulary: StreamVocabulary, train: StreamWriter) -> dict[str, Any]:
    """Writes the split's ids; gives its counts, of a held-out split also how many of its sentences `train` holds."""
    unknown = writer.finish(vocabulary)
    counts = {"sentences": writer.sentences, "tokens": writer.tokens}
    shared = {} if writer is train else {OVERLAP: writer.hashes.count_known(train.hashes)}
    return counts | {"unknown": unknown / max(1, writer.tokens)} | shared


def describe_overlaps(splits: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The remarks on sentences that held-out splits share with training."""
    return [
        note
        for split, counts in splits.items()
        for note in describe_overlap(split, counts.get(OVERLAP, 0), counts["sentences"])
    ]


def _read_splits(
    folder: Path, open_writers: ExitStack, corpus: Corpus, progress: ProgressCallback
) -> dict[str, StreamWriter]:
    """A filled writer for each split; raises `DataError` for a split without sentences."""
    sources, options = corpus.sources, corpus.options
    names = [split for split in ("train", "dev", "test") if split in sources or split == "dev"]
    writers = {split: open_writers.enter_context(StreamWriter(folder, split)) for split in names}
    choose = random.Random(options.seed)
    for split, files in sources.items():
        count = 0
        for tokens in read_sentences(files, corpus.format, corpus.on_bad, options.lowercase):
            split_off = split == "train" and "dev" not in sources and choose.random() < DEV_SHARE
            writers["dev" if split_off else split].add(tokens)
            count += 1
            if count % REPORT_EVERY == 0:
                progress(Progress(f"reading {split}", count, None, "sentences"))
        progress(Progress(f"reading {split}", count, count, "sentences", finished=True))
        if count == 0:
            raise DataError(open_lines(files[0]).path, None, f"no sentences for {split}")
    for split in ("train", "dev"):
        if writers[split].sentences == 0:
            reason = "too few sentences to split off a dev set; give a dev file"
            raise DataError(open_lines(sources["train"][0]).path, None, reason)
    return writers


def check_sizes(options: PreprocessOptions) -> None:
    """Raises `UsageError` for a size that leaves room for no word, and for a count below one."""
    vocab_size, min_count = options.vocab_size, options.min_count
    if vocab_size is not None and vocab_size < 3:
        raise UsageError(f"--vocab-size must be at least 3 (</s>, <unk> and a word), found {vocab_size}")
    if min_count is not None and min_count < 1:
        raise UsageError(f"--min-count must be at least 1, found {min_count}")


@dataclass(frozen=True, slots=True)
class CountedWords:
    """A vocabulary without `</s>` and `<unk>`, most frequent words first."""

    words: list[str]
    counts: list[int]  # of each word
    types: int  # different words in the training text, in the vocabulary or not


def choose_words(train: StreamWriter, vocab_size: int | None, min_count: int, source: str | Path) -> CountedWords:
    """The `vocab_size` most frequent training words, with `</s>` and `<unk>`, that occur `min_count` times.

    Of the others only their number is kept in memory. Raises `DataError` where no word is left.
    """
    types = 0

    def frequent_words() -> Iterator[tuple[int, str]]:
        nonlocal types
        for word, count in train.iterate_counts():
            if word != UNKNOWN_WORD:
                types += 1
                if count >= min_count:
                    yield -count, word

    ranked = sorted(frequent_words()) if vocab_size is None else heapq.nsmallest(vocab_size - 2, frequent_words())
    if not ranked:
        reason = f"no training word occurs {min_count} times, so all would be <unk>; give a smaller --min-count"
        raise DataError(open_lines(source).path, None, reason)
    return CountedWords([word for _, word in ranked], [-count for count, _ in ranked], types)


def read_sentences(
    files: Iterable[str | Path], corpus: str, on_bad: OnBad = raise_bad, lowercase: bool = False
) -> Iterator[Sequence[str]]:
    """The tokens of the sentences that have any; `<s>` and `</s>` inside one are bad, since they mean its borders.

    Raises `UsageError` for a format without sentences, `DataError` for bad ones where `on_bad` does.
    """
    format = find_format(corpus)
    if format.yields not in ("sentences", "trees"):
        raise UsageError(
            f"language models need sentences or trees, but a file in the format {corpus} holds {format.yields}"
        )
    reader = format.load_reader()
    for file in files:
        for record in reader(open_lines(file), on_bad=on_bad, **format.words):
            place = record.place
            tokens = [token.lower() for token in record.tokens] if lowercase else record.tokens
            if not RESERVED.isdisjoint(tokens):
                found = next(token for token in tokens if token in RESERVED)
                reason = (
                    f"the word {found!r} is reserved: sentence borders are added, the text itself must not hold them"
                )
                on_bad(DataError(place.path if place else str(file), place.line if place else None, reason))
            elif tokens:
                yield tokens


def _notes(corpus: Corpus, splits: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What a user should be told about the folder."""
    notes = []
    if "dev" not in corpus.sources:
        notes.append(f"no dev set was given: {splits['dev']['sentences']:,} of the training sentences were split off")
    if splits["train"]["unknown"] == 0:
        notes.append("training has no <unk>, so no model can learn its probability; use a greater --min-count")
    return notes + describe_overlaps(splits) + corpus.notes()
