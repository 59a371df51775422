"""`nntag parse`."""

from __future__ import annotations

import sys

from nntag.cli.engine import run_on_engine
from nntag.cli.flags import Threads, with_flags
from nntag.config.options.engine import EngineOptions
from nntag.config.options.parse import ParseOptions


@with_flags(ParseOptions, further=(EngineOptions,))
def parse_command(options: ParseOptions, engine: EngineOptions, threads: Threads = 1) -> None:
    """Parse text with a CCG supertagger.

    The tagger's likely categories go to depccg's A* parser (pip install 'nntag[parse]'), with the grammar of the
    treebank that the tagger was trained on. One sentence per line in, its derivation out, in the same order, as it
    arrives; a sentence without a parse leaves a mark in every format and is counted on stderr.
    """
    from nntag.cli.printing import note, write_out
    from nntag.tagging.parsing.command import parse_text
    from nntag.training.device import use_threads

    use_threads(threads)
    if engine.engine is not None:
        run_on_engine(options, [options.file], engine)
        return
    if options.file == "-" and sys.stdin.isatty():
        kind = "text" if options.tokenize else "one tokenised sentence per line"
        note(f"reading from the terminal: type {kind}, Ctrl-D to end")
    counts = parse_text(options, write_out)
    if options.model is None and counts.run is not None:
        note(f"tagged with {counts.run.parent.parent}")
    note(counts.describe())
