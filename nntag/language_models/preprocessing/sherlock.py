"""`nntag preprocess sherlock`: novels and questions in, a language-model data folder with the questions out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nntag.corpora.faults import OnBad
from nntag.corpora.gutenberg import read_gutenberg
from nntag.corpora.lines import open_lines
from nntag.corpora.novels_text import has_words, is_heading, tokenize
from nntag.corpora.packing import unpacked_name
from nntag.corpora.sentence_splitter import SentenceSplitter, train_splitter
from nntag.corpora.sherlock import read_sherlock
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta, write_vocabulary
from nntag.encoding.overlap import SentenceHashes
from nntag.encoding.preprocessing import Corpus, Preprocessed, Sources
from nntag.errors import DataError, UsageError
from nntag.json_files import write_json
from nntag.language_models.completion.questions import LETTERS, QUESTIONS, ClozeQuestion, find_known, tokenize_questions
from nntag.language_models.preprocessing.text import check_sizes, choose_words, describe_overlaps, finish_split
from nntag.language_models.stream_writer import StreamWriter
from nntag.language_models.streams import StreamVocabulary
from nntag.manifest import sha256_of
from nntag.progress import Progress, ProgressCallback, ignore_progress

DEV_SENTENCES = 19_000  # section 6, Tran 2016
DEV_SHARE = 0.01  # ours: at most this share of all sentences, for collections smaller than the paper's
VOCABULARY = 64_000  # section 6, Tran 2016: about 64,000
MIN_COUNT = 2  # ours: a model needs some <unk> to learn its probability
SPLITTER_MEGABYTES = 12  # ours: of novels that teach the splitter, which learns at 2 s a megabyte


def preprocess_sherlock(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads `novels` (or `train`: files or folders), `questions` and `answers` and writes the data folder `out`.

    Headers, footers and chapter heads are left out, paragraphs split into sentences, and these into lower-case
    tokens. A random sample of the sentences, chosen by the seed, is dev; there is no test split but the questions. The
    vocabulary is the `vocab_size` (64,000) most frequent words seen at least `min_count` (2) times. Raises
    `DataError`, `UsageError`, `RunError`.
    """
    sources, options, on_bad = corpus.sources, corpus.options, corpus.on_bad
    check_sizes(options)
    if "dev" in sources or "test" in sources:
        raise UsageError(
            "sherlock takes neither --dev nor --test: dev is a sample of the sentences, and the questions are the test"
        )
    files = _list_novels(sources.get("novels") or sources["train"])
    questions = _read_questions(sources, on_bad)
    with (
        create_data_folder(out, options.force, options.in_use) as folder,
        StreamWriter(folder, "train") as train,
        StreamWriter(folder, "dev") as dev,
    ):
        _write_sentences(files, train, dev, corpus, progress)
        needed = options.min_count or MIN_COUNT
        counted = choose_words(train, options.vocab_size or VOCABULARY, needed, files[0])
        vocabulary = StreamVocabulary(counted.words, lowercase=True)
        splits = {name: finish_split(writer, vocabulary, train) for name, writer in (("train", train), ("dev", dev))}
        write_vocabulary(folder, {"lowercase": True, "words": counted.words, "counts": counted.counts})
        write_json(folder / QUESTIONS, [question.to_json() for question in questions])
        described = corpus.describe()
        described["sources"] = {"novels": [{"file": file.name, "sha256": sha256_of(file)} for file in files]}
        in_train = count_in_train(questions, train)
        write_meta(
            folder,
            task="lm",
            corpus=corpus.format,
            splits=splits,
            vocabulary=len(vocabulary),
            word_types=counted.types,
            min_count=needed,
            lowercase=True,
            questions=len(questions),
            questions_in_train=in_train,
            **described,
        )
    size = f"vocabulary: {len(vocabulary):,} words with </s> and <unk>, of {counted.types:,} seen"
    return Preprocessed(
        open_data_folder(out),
        [size, *_describe_questions(vocabulary, questions, in_train), *describe_overlaps(splits), *corpus.notes()],
    )


def _list_novels(given: Sequence[Path | str]) -> list[Path]:
    """The files, a folder standing for the texts in it; raises `DataError` where there are none."""
    paths = [Path(path) for path in given]
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise DataError(str(path), None, "no such file or folder of novels")
        found += sorted(file for file in path.rglob("*") if _is_text(file)) if path.is_dir() else [path]
    if not found:
        raise DataError(str(paths[0]), None, "no novels: no file there ends in .txt")
    return found


def _is_text(path: Path) -> bool:
    return unpacked_name(path).suffix.lower() == ".txt" and path.is_file()


def _write_sentences(
    files: list[Path], train: StreamWriter, dev: StreamWriter, corpus: Corpus, progress: ProgressCallback
) -> None:
    """Reads the novels one by one; a random sample of their sentences goes to `dev`, the others to `train`."""
    choose = random.Random(corpus.options.seed)
    sample: list[Sequence[str]] = []  # a uniform sample of what has been read so far ("reservoir sampling")
    count = 0
    for count, tokens in enumerate(_read_sentences(files, corpus.on_bad, progress), start=1):
        if len(sample) < DEV_SENTENCES:
            sample.append(tokens)
            continue
        if (place := choose.randrange(count)) < DEV_SENTENCES:
            tokens, sample[place] = sample[place], tokens
        train.add(tokens)
    if count < 2:
        raise DataError(str(files[0]), None, "the novels need at least two sentences")
    kept = set(choose.sample(range(len(sample)), min(DEV_SENTENCES, max(1, round(DEV_SHARE * count)))))
    for number, tokens in enumerate(sample):
        (dev if number in kept else train).add(tokens)


def _read_sentences(files: list[Path], on_bad: OnBad, progress: ProgressCallback) -> Iterator[Sequence[str]]:
    """The tokens of every sentence that has a word."""
    sizes = [file.stat().st_size / 1e6 for file in files]
    read = {file: _read_paragraphs(file, on_bad) for file in _choose_teachers(files, sizes)}
    splitter = _train_splitter(read, progress)
    done = 0.0
    for file, size in zip(files, sizes, strict=True):
        for paragraph in read.pop(file) if file in read else _read_paragraphs(file, on_bad):
            for sentence in splitter.split(paragraph):
                if has_words(sentence):
                    yield tokenize(sentence.lower())
        done += size
        progress(Progress("reading novels", round(done), round(sum(sizes)), "MB", finished=file is files[-1]))


def _read_paragraphs(file: Path, on_bad: OnBad) -> list[str]:
    paragraphs = (paragraph.text for paragraph in read_gutenberg(open_lines(file), on_bad=on_bad))
    return [text for text in paragraphs if not is_heading(text)]


def _choose_teachers(files: list[Path], sizes: list[float]) -> list[Path]:
    """The novels from which the splitter learns: every n-th, so that they are about `SPLITTER_MEGABYTES`."""
    return files[:: max(1, round(sum(sizes) / SPLITTER_MEGABYTES))]


def _train_splitter(novels: Mapping[Path, list[str]], progress: ProgressCallback) -> SentenceSplitter:
    def texts() -> Iterator[str]:
        for number, paragraphs in enumerate(novels.values(), start=1):
            yield "\n\n".join(paragraphs)
            last = number == len(novels)
            progress(Progress("learning abbreviations", number, len(novels), "novels", finished=last))

    return train_splitter(texts())


def _read_questions(sources: Sources, on_bad: OnBad) -> list[ClozeQuestion]:
    """The questions in the novels' tokens; none where no file is given. Raises `DataError`."""
    if not sources.get("questions"):
        return []
    answers = open_lines(sources["answers"][0]) if sources.get("answers") else None
    questions = read_sherlock(open_lines(sources["questions"][0]), answers, on_bad)
    return [tokenized for _, tokenized in tokenize_questions(questions, on_bad)]


def count_in_train(questions: Sequence[ClozeQuestion], train: StreamWriter) -> int:
    """How many questions have a sentence, with whichever candidate and in lower case, that is one of training."""
    options = [(question, option) for question in questions for option in range(len(LETTERS))]
    sentences = SentenceHashes([token.lower() for token in question.sentence(option)] for question, option in options)
    return int(sentences.find_known(train.hashes).reshape(-1, len(LETTERS)).any(1).sum())


def _describe_questions(vocabulary: StreamVocabulary, questions: Sequence[ClozeQuestion], in_train: int) -> list[str]:
    """What a user should be told about the questions."""
    if not questions:
        return ["no questions were found beside the novels; `nntag complete FILE` reads them from a file"]
    known = find_known(vocabulary, questions)
    return [
        f"{len(questions):,} questions; {int((~known).sum()):,} of {known.size:,} candidates are unknown words; the "
        f"sentences of {in_train:,} questions are in train"
    ]
