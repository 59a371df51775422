"""`nntag preprocess`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from nntag.cli.app import app
from nntag.cli.options import Json, SkipBad, Verbose

Files = list[Path] | None


@app.command("preprocess")
def preprocess_command(
    corpus: Annotated[
        str,
        typer.Argument(
            help="For taggers ccgbank, ptb, conllu, columns, piped, pmb; language models text, sherlock; trees sst."
        ),
    ],
    source: Annotated[
        Path | None,
        typer.Argument(help="Folder of the corpus, laid out as data/README.md says [default: data/raw/CORPUS]."),
    ] = None,
    train: Annotated[Files, typer.Option("--train", help="Training file (repeatable), instead of a folder.")] = None,
    dev: Annotated[
        Files, typer.Option("--dev", help="Dev file (repeatable); without one, a part of train is split off.")
    ] = None,
    test: Annotated[Files, typer.Option("--test", help="Test file (repeatable).")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Data folder to write [default: data/processed/CORPUS, or CORPUS-TASK]."),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", help="Taggers' corpora: tagging (default) or lm; sst: fine (default), binary."),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            help="Which tags: conllu UPOS (default), XPOS, ...; columns a number; ccgbank, piped: pos; pmb: semtag ...",
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="pmb: which language of a folder with several (en, de, it, nl).")
    ] = None,
    tag_cutoff: Annotated[int, typer.Option("--tag-cutoff", help="Tags seen less often in training become RARE.")] = 1,
    vocab_size: Annotated[
        int | None, typer.Option("--vocab-size", help="Language models: most words, </s> and <unk> counted.")
    ] = None,
    min_count: Annotated[
        int | None,
        typer.Option(
            "--min-count", help="Language models: rarer words become <unk> [default: 1 if train has <unk>, else 2]."
        ),
    ] = None,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Language models: put all text into lower case, also when it is scored.")
    ] = False,
    binarise: Annotated[
        bool, typer.Option("--binarise", help="sst: accept nodes with any number of children, and make them binary.")
    ] = False,
    sample: Annotated[bool, typer.Option("--sample", help="Generate a sample corpus instead of reading one.")] = False,
    sample_size: Annotated[int, typer.Option("--sample-size", help="Training sentences of the sample.")] = 3000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the sample and of a dev set that is split off.")] = 1,
    skip_bad: SkipBad = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Turn a corpus into a data folder.

    It holds the text of the splits, vocabularies (from train alone) and counts; `nntag train` reads it.
    """
    from nntag.cli.report import ProgressReporter, note, print_json, print_out
    from nntag.commands.preprocess import PreprocessOptions, preprocess

    options = PreprocessOptions(
        source=source,
        files={"train": train or [], "dev": dev or [], "test": test or []},
        out=out,
        task=task,
        column=column,
        language=language,
        tag_cutoff=tag_cutoff,
        vocab_size=vocab_size,
        min_count=min_count,
        lowercase=lowercase,
        binarise=binarise,
        sample_size=sample_size if sample else None,
        seed=seed,
        skip_bad=skip_bad,
    )
    with ProgressReporter(verbose) as progress:
        result = preprocess(corpus, options, progress)
    for text in result.notes:
        note(text)
    if json:
        print_json({"data": str(result.data.path), **result.data.meta})
        return
    print_out(format_splits(result.data.meta))
    note(f"wrote {result.data.path}; next: nntag train --data {result.data.path}")


def format_splits(meta: Mapping[str, Any]) -> str:
    """The counts of the splits as a table; shares as percent."""
    from nntag.cli.report import format_table

    names = list(next(iter(meta["splits"].values())))
    rows = [
        [split, *(f"{100 * counts[name]:.2f} %" if isinstance(counts[name], float) else counts[name] for name in names)]
        for split, counts in meta["splits"].items()
    ]
    return format_table(rows, ["split", *(name.replace("_", " ") for name in names)])
