"""`nntag preprocess`: which corpus goes to which preprocessing, and where its files are found."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nntag.config.fields import unknown_name
from nntag.corpora.splits import find_splits
from nntag.encoding.data_folder import PROCESSED
from nntag.errors import UsageError
from nntag.language_models.preprocessing.sherlock import preprocess_sherlock
from nntag.language_models.preprocessing.text import preprocess_text
from nntag.progress import ProgressCallback, ignore_progress
from nntag.tagging.corpus_files import TAGGING_FORMATS
from nntag.tagging.preprocess import Preprocessed, check_sources, preprocess_tagging
from nntag.trees.preprocess import Labels, preprocess_sst

RAW = Path("data/raw")


@dataclass(frozen=True)
class PreprocessOptions:
    """The flags of `nntag preprocess`; each corpus reads those that concern it."""

    source: Path | None = None
    files: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    out: Path | None = None
    task: str | None = None
    column: str | None = None
    language: str | None = None  # pmb: whose files of a folder
    tag_cutoff: int = 1
    vocab_size: int | None = None
    min_count: int | None = None
    lowercase: bool = False
    binarise: bool = False
    sample_size: int | None = None  # None: a real corpus
    seed: int = 1
    skip_bad: bool = False


Sources = Mapping[str, Sequence[str | Path]]
Preprocessor = Callable[[str, Sources, Path, PreprocessOptions, ProgressCallback], Preprocessed]


def preprocess(corpus: str, options: PreprocessOptions, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Makes the data folder of a corpus: from a folder, from single files or from a generated sample."""
    preprocessor = _preprocessor(corpus, options.task)
    _check_flags(corpus, preprocessor, options)
    given = [files for files in options.files.values() if files]
    if options.language is not None and (corpus != "pmb" or given or options.sample_size is not None):
        raise UsageError("--language chooses among the files of a folder of pmb, and of nothing else")
    if options.sample_size is not None:
        if given or options.source:
            raise UsageError("--sample generates its corpus; it takes no folder and no files")
        from nntag.sample import write_sample

        out = options.out or PROCESSED / f"{_folder_name(corpus, options.task)}-sample"
        with tempfile.TemporaryDirectory(prefix="nntag-sample-") as folder:
            written = write_sample(corpus, Path(folder), options.sample_size, options.seed)
            sources = {split: [file] for split, file in written.items()}
            return preprocessor(corpus, sources, out, options, progress)
    if given and options.source:
        raise UsageError("give either a folder or --train, --dev and --test, not both")
    raw = options.source or RAW / corpus
    sources = (
        check_sources(*options.files.values()) if given else find_splits(corpus, raw, options.seed, options.language)
    )
    out = options.out or PROCESSED / "-".join(filter(None, (_folder_name(corpus, options.task), options.language)))
    return preprocessor(corpus, sources, out, options, progress)


def _folder_name(corpus: str, task: str | None) -> str:
    """`sst`; with another task than the corpus's first one, `sst-binary`, so that one does not replace the other."""
    return corpus if task in (None, _tasks_of(corpus)[0]) else f"{corpus}-{task}"


def _preprocess_tagging(
    corpus: str, sources: Sources, out: Path, options: PreprocessOptions, progress: ProgressCallback
) -> Preprocessed:
    details = {"generated_sample": options.sample_size} if options.sample_size is not None else {}
    return preprocess_tagging(
        corpus, sources, out, options.column, options.tag_cutoff, options.seed, options.skip_bad, details, progress
    )


def _preprocess_text(
    corpus: str, sources: Sources, out: Path, options: PreprocessOptions, progress: ProgressCallback
) -> Preprocessed:
    details = {"generated_sample": options.sample_size} if options.sample_size is not None else {}
    sizes = options.vocab_size, options.min_count, options.lowercase
    return preprocess_text(corpus, sources, out, *sizes, options.seed, options.skip_bad, details, progress)


def _preprocess_sherlock(
    corpus: str, sources: Sources, out: Path, options: PreprocessOptions, progress: ProgressCallback
) -> Preprocessed:
    details = {"generated_sample": options.sample_size} if options.sample_size is not None else {}
    sizes = options.vocab_size, options.min_count
    return preprocess_sherlock(sources, out, *sizes, options.seed, options.skip_bad, details, progress)


def _preprocess_sst(
    corpus: str, sources: Sources, out: Path, options: PreprocessOptions, progress: ProgressCallback
) -> Preprocessed:
    details = {"generated_sample": options.sample_size} if options.sample_size is not None else {}
    labels: Labels = "binary" if options.task == "binary" else "fine"
    shape, left_out = options.binarise, options.skip_bad
    return preprocess_sst(sources, out, labels, corpus, shape, options.seed, left_out, details, progress)


PREPROCESSORS: dict[tuple[str, str], Preprocessor] = {
    **{(format, "tagging"): _preprocess_tagging for format in TAGGING_FORMATS},
    **{(format, "lm"): _preprocess_text for format in ("text", *TAGGING_FORMATS)},
    ("sherlock", "lm"): _preprocess_sherlock,
    **{("conllu", labels): _preprocess_sst for labels in ("fine", "binary")},
    **{("sst", labels): _preprocess_sst for labels in ("fine", "binary")},
}  # (corpus, task) -> how; the first task of a corpus is its default


FLAGS: dict[Preprocessor, tuple[str, ...]] = {  # those that not every corpus reads
    _preprocess_tagging: ("column", "tag_cutoff"),
    _preprocess_text: ("vocab_size", "min_count", "lowercase"),
    _preprocess_sherlock: ("vocab_size", "min_count", "lowercase"),  # always in lower case
    _preprocess_sst: ("binarise",),
}


def _check_flags(corpus: str, preprocessor: Preprocessor, options: PreprocessOptions) -> None:
    """Raises `UsageError` for a flag that would be ignored."""
    unset = PreprocessOptions()
    for flag in dict.fromkeys(name for names in FLAGS.values() for name in names):
        if flag not in FLAGS[preprocessor] and getattr(options, flag) != getattr(unset, flag):
            task = options.task or _tasks_of(corpus)[0]
            raise UsageError(f"--{flag.replace('_', '-')} has no meaning for {corpus} with the task {task}")


def _preprocessor(corpus: str, task: str | None) -> Preprocessor:
    tasks = _tasks_of(corpus)
    if task is not None and task not in tasks:
        raise UsageError(unknown_name(f"task for {corpus}", task, tasks))
    return PREPROCESSORS[corpus, task or tasks[0]]


def _tasks_of(corpus: str) -> list[str]:
    """The tasks of a corpus, its default first; raises `UsageError` for an unknown corpus."""
    tasks = [known_task for known, known_task in PREPROCESSORS if known == corpus]
    if not tasks:
        raise UsageError(unknown_name("corpus", corpus, dict.fromkeys(known for known, _ in PREPROCESSORS)))
    return tasks
