"""`nntag tag`."""

from __future__ import annotations

import sys
from pathlib import Path

from nntag.cli.engine import run_on_engine
from nntag.cli.flags import Threads, with_flags
from nntag.config.options.engine import EngineOptions
from nntag.config.options.use import TagOptions
from nntag.config.tasks import find_task


@with_flags(TagOptions, further=(EngineOptions,))
def tag_command(options: TagOptions, engine: EngineOptions, threads: Threads = 1) -> None:
    """Tag text, line by line.

    Reads one sentence per line and writes one line for each, in the same order, as they arrive; a blank line stays
    blank.
    """
    from nntag.cli.printing import note, write_out
    from nntag.commands.tag import load_to_tag, tag, tag_files
    from nntag.corpora.lines import open_lines
    from nntag.errors import UsageError
    from nntag.training.device import use_threads

    use_threads(threads)
    if engine.engine is not None:
        if options.output_dir is not None:
            raise UsageError("with --engine, the folder for the parts is --output; --output-dir has no meaning")
        run_on_engine(options, options.files, engine)
        return
    files = options.files or ("-",)
    if (Path(files[0]) / "best").is_dir():
        raise UsageError(f"{files[0]} is a run folder: name it with --model, and after it the files to tag")
    if options.output_dir is None and (len(files) > 1 or Path(files[0]).is_dir()):
        raise UsageError("several files or a folder need --output-dir, where a file is written for each")
    run = load_to_tag(options)
    if options.model is None:
        note(f"tagging with {run.folder}, the newest run of {find_task(run.task.name).models}")
    if options.output_dir is not None:
        tag_files(run, options, lambda path, count: note(f"wrote {path}: {count} sentences"))
        return
    if files[0] == "-" and sys.stdin.isatty():
        kind = "text" if options.tokenize else "one tokenised sentence per line"
        note(f"reading from the terminal: type {kind}, Ctrl-D to end")
    tag(run, open_lines(files[0]), write_out, options)
