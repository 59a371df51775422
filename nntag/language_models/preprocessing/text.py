"""`nntag preprocess` for language models: any corpus of sentences in, a data folder with streams of token ids out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from nntag.config.options.preprocess import PreprocessOptions
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.formats import find_format
from nntag.corpora.lines import open_lines
from nntag.corpora.marks import SENTENCE_MARKS
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta
from nntag.encoding.overlap import describe_overlap
from nntag.encoding.preprocessing import OVERLAP, Corpus, Preprocessed, warn_if_long
from nntag.encoding.vocabulary import rank_by_count
from nntag.errors import DataError, UsageError
from nntag.json_files import write_json
from nntag.language_models.streams import UNKNOWN_WORD, StreamVocabulary, StreamWriter
from nntag.progress import Progress, ProgressCallback, ignore_progress

DEV_SHARE = 0.05  # of the training sentences, where there is no dev file
REPORT_EVERY = 10_000  # sentences
RESERVED = SENTENCE_MARKS


def preprocess_text(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads the files of each split and writes the data folder `out`: one pass, flat memory.

    The vocabulary is the `vocab_size` most frequent training words (with `</s>` and `<unk>`) seen at least `min_count`
    times: by default once where the training text already has `<unk>`, and twice where it does not. With `lowercase`,
    text is lowercased, here and wherever the model reads some. Without dev files, a share of the training
    sentences becomes dev, chosen by the seed. Raises `DataError`, `UsageError`, `RunError`.
    """
    options = corpus.options
    check_sizes(options)
    with create_data_folder(out, options.force, options.in_use) as folder, ExitStack() as open_writers:
        writers = _read_splits(folder, open_writers, corpus, progress)
        counts = writers["train"].count_words()
        had_unknown = counts.pop(UNKNOWN_WORD, 0) > 0
        needed = options.min_count or (1 if had_unknown else 2)
        words = choose_words(counts, options.vocab_size, needed, corpus.sources["train"][0])
        vocabulary = StreamVocabulary(words, options.lowercase)
        splits = {split: finish_split(writer, vocabulary, writers["train"]) for split, writer in writers.items()}
        warn_if_long(corpus, (writer.longest for writer in writers.values()))
        saved = {"lowercase": options.lowercase, "words": words, "counts": [counts[word] for word in words]}
        write_json(folder / "vocab.json", saved)
        write_meta(
            folder,
            task="lm",
            corpus=corpus.format,
            splits=splits,
            vocabulary=len(vocabulary),
            word_types=len(counts),
            min_count=needed,
            lowercase=options.lowercase,
            **corpus.describe(),
        )
    size = f"vocabulary: {len(vocabulary):,} words with </s> and <unk>, of {len(counts):,} seen; minimum count {needed}"
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


def choose_words(counts: Mapping[str, int], vocab_size: int | None, min_count: int, source: str | Path) -> list[str]:
    """The vocabulary without `</s>` and `<unk>`, most frequent words first; raises `DataError` where it is empty."""
    words = rank_by_count(counts, min_count)[: None if vocab_size is None else vocab_size - 2]
    if not words:
        reason = f"no training word occurs {min_count} times, so all would be <unk>; give a smaller --min-count"
        raise DataError(open_lines(source).path, None, reason)
    return words


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
