"""The options of the commands that use a trained model: `nntag eval`, `tag`, `score`, `complete`, `analyse`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nntag.config.fields import MOST_PROCESSES, flag

RUN = "Run folder, its best or last, or a weights file"
MODEL = f"{RUN}; given several times, the mean of their probabilities is taken [default: the newest run]."
WEIGHT = "Weight of each --model in the mean, in their order [default: all the same]."
PRECISION = "Matrix products in float32, in bf16 (8 significant bits), or auto (bf16 where it is fast)."
DEVICE = "cpu, cuda, cuda:N, or auto (a GPU where there is one)."

Models = tuple[Path | str, ...] | Path | str | None  # one run, or several that are an ensemble


def list_models(models: Models) -> tuple[Path | str, ...]:
    """The runs that were named; () for none."""
    return () if models is None else (models,) if isinstance(models, Path | str) else tuple(models)


@dataclass(frozen=True)
class EvaluateOptions:
    """Which run is evaluated, and on what."""

    model: Models = flag(None, MODEL)
    data: Path | str | None = flag(
        None, "Data folder or corpus file, - for standard input [default: the data the run was trained on]."
    )
    split: str | None = flag(None, "train, dev or test [default: test, or dev if there is no test].")
    format: str | None = flag(None, "Format of a corpus file [default: by its suffix].")
    column: tuple[str, ...] | str | None = flag(
        None,
        "Which tags of the file: UPOS, XPOS, pos, a column number, ... (repeatable, for runs of several columns).",
        tasks=("tagging",),
    )
    betas: tuple[float, ...] = flag(
        (),
        "Numbers between commas: also score all tags with p >= beta * p_best, for each beta.",
        names=("--beta",),
        tasks=("tagging",),
        commas=True,
    )
    parses: Path | str | None = flag(
        None,
        "Derivations (AUTO, as `nntag parse` writes them) to score against those of --data; with --model also the tags "
        "before parsing.",
        tasks=("tagging",),
    )
    mix_with: tuple[Path | str, ...] = flag(
        (),
        "Runs whose models are mixed with it, with weights fitted on dev.",
        names=("--interpolate",),
        tasks=("lm",),
        hidden=True,
    )
    output: Path | str | None = flag(
        None,
        "File to write: one JSON object for each sentence, tree or question, for `nntag compare`; of a tagger, unless "
        "the name ends in .jsonl, word, gold tag and predicted tag, separated by tabs.",
    )
    plots: Path | str | None = flag(
        None,
        "Picture to write (.png, .svg or .pdf): which tags or classes are taken for which, and precision, recall and "
        "F1 of each.",
        tasks=("tagging", "sentiment"),
    )
    weights: tuple[float, ...] = flag((), WEIGHT, names=("--weight",))
    precision: str = flag("float32", PRECISION, tasks=("tagging",))
    device: str = flag("cpu", DEVICE)


@dataclass(frozen=True)
class TagOptions:
    """How text or trees are tagged and written."""

    files: tuple[str, ...] = flag((), "Files to tag, or folders of them [default: standard input, -].", argument=True)
    model: Models = flag(None, MODEL)
    format: str | None = flag(
        None,
        "Output: piped (word|TAG), columns, conllu, json, and for CCG parsers easyccg, easysrl, candc, depccg; of tree "
        "models: trees, table, json, picture, svg.",
    )
    input_format: str | None = flag(
        None,
        "Input: text (one tokenised sentence per line), piped, columns, conllu, any other corpus or output format "
        "[default: by the file's suffix, else text]; of tree models: trees, unlabelled for brackets about words alone, "
        "such as (A (good film)), or conllu.",
    )
    tokenize: bool = flag(
        False,
        "The input is running English text: split it into sentences and tokens first; each sentence has a line of its "
        "own in the output, and --format conllu and json say where the tokens stand in the text.",
        tasks=("tagging",),
    )
    output_dir: Path | None = flag(
        None, "Folder for the output, one file per input file; required with several input files."
    )
    pos_model: Path | str | None = flag(
        None, "Run of a second tagger: its parts of speech stand beside the tags.", tasks=("tagging",)
    )
    probabilities: bool = flag(False, "Write a probability after each tag.", tasks=("tagging",))
    beta: float | None = flag(
        None,
        "Write every tag with p >= beta * p_best, each with its probability [default for CCG parsers: 0.001].",
        tasks=("tagging",),
    )
    column: str = flag(
        "", "CoNLL-U column that the tags go to; MISC: as Tag=TAG [default: as trained, or UPOS].", tasks=("tagging",)
    )
    batch_size: int = flag(64, "Maximum number of sentences processed together.", tasks=("tagging",))
    skip_bad: bool = flag(
        False,
        "Go on after a bad sentence or tree: it is listed on stderr, and an empty one stands in its place, in json and "
        "conllu with the reason.",
        tasks=("tagging", "sentiment"),
    )
    weights: tuple[float, ...] = flag((), WEIGHT, names=("--weight",))
    precision: str = flag("float32", PRECISION, tasks=("tagging",))
    jobs: int = flag(
        1, "Processes that tag; the output keeps its order.", tasks=("tagging",), low=1, high=MOST_PROCESSES
    )
    device: str = flag("cpu", DEVICE)


@dataclass(frozen=True)
class ScoreOptions:
    """Which text is scored, and how the scores are written."""

    file: str = flag("-", "File to score, with --engine also a folder; - is standard input.", argument=True)
    models: tuple[Path | str, ...] = flag(
        (),
        "Run of a language model; given several times, the mean of their probabilities is taken [default: the newest].",
        names=("--model",),
    )
    weights: tuple[float, ...] = flag((), WEIGHT, names=("--weight",))
    per_token: bool = flag(False, "One line for each token and for </s>, with its log-probability (nats).")
    words: bool = flag(
        False,
        "One line for each word, below a header: its log-probability (nats), its rank (1: no word is more probable "
        "there) and, of n-gram models, the length of the n-gram that its probability comes from.",
    )
    tokenize: bool = flag(
        False,
        "The input is running English text: split it into sentences and tokens first; each sentence has a line of its "
        "own in the output.",
    )
    next: int | None = flag(
        None, "Instead of scores, this many likeliest next words after each line, with probabilities.", low=1
    )
    json: bool = flag(False, "One JSON object per line.")
    skip_bad: bool = flag(
        False,
        "Go on after a bad line: it is listed on stderr, and nan, or with --json the reason, stands in its place.",
    )
    device: str = flag("cpu", DEVICE)


@dataclass(frozen=True)
class CompleteOptions:
    """Which questions are answered, by which models."""

    questions: Path | str = flag(
        "-", "Questions: lines `12b) ... [word] ...`, or CSV with the gap _____; - is stdin.", argument=True
    )
    answers: Path | str | None = flag(None, "The right answers, in either format; with them accuracies are reported.")
    models: tuple[Path | str, ...] = flag(
        (),
        "Run of a language model; given several times, they answer together: see --combine [default: the newest].",
        names=("--model",),
    )
    weights: Sequence[float] = flag(
        (), "Weight of each --model, in their order [default: all the same].", names=("--weight",)
    )
    combine: str | None = flag(
        None,
        "How several models answer together: words takes the mean of their probabilities of each word, as everywhere; "
        "sentences adds up their log-probabilities of whole sentences, for models that read in different directions or "
        "know different words [default: words where that is possible].",
    )
    output: Path | str | None = flag(
        None,
        "File for the choices, like the official answers; CSV if its name ends in .csv; if in .jsonl, with all scores, "
        "for `nntag compare`.",
    )
    compare: bool = flag(False, "Print each question with the choices of all runs side by side; nothing is added up.")
    skip_bad: bool = flag(False, "Leave bad questions out, list them on stderr, and go on.")
    device: str = flag("cpu", DEVICE)


@dataclass(frozen=True)
class AnalyseOptions:
    """Which run's attention is analysed, and on what."""

    model: Path | str | None = flag(None, "Run of rm, rmr or memn [default: the newest language model].")
    text: str | None = flag(None, "Show one tokenised sentence in the terminal, and write nothing.")
    data: Path | str | None = flag(
        None, "Data folder or corpus file; CoNLL-U with heads adds dependencies [default: the run's own data]."
    )
    split: str | None = flag(
        None,
        "train, dev or test, or several separated by commas, which are taken together "
        "[default: test, or dev if there is no test].",
    )
    treebank: Path | str | None = flag(None, "CoNLL-U file for the dependency part, if --data is not such a file.")
    relations: str | None = flag(
        None,
        "Rows of the relation figure, separated by commas, such as '->obj,aux<-' "
        "[default: the most frequent far relations].",
    )
    out: Path | str | None = flag(None, "Folder to write [default: RUN/attention].")
    samples: int = flag(100, "Words in the heat map.", low=0)
    sentences: int = flag(200, "Sentences in the page.", low=0)
    seed: int = flag(1, "Seed for the sampled words.")
    device: str = flag("cpu", DEVICE)
