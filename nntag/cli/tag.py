"""`nntag tag`."""

from __future__ import annotations

import sys

from nntag.cli.flags import Threads, with_flags
from nntag.config.options.use import TagOptions


@with_flags(TagOptions)
def tag_command(options: TagOptions, threads: Threads = 1) -> None:
    """Tag text, line by line.

    One sentence a line in, one line out, in the same order, as it arrives; a blank line stays blank.
    """
    from nntag.cli.printing import note, write_out
    from nntag.commands.tag import load_to_tag, tag
    from nntag.corpora.lines import open_lines
    from nntag.training.device import use_threads

    use_threads(threads)
    run = load_to_tag(options)
    if options.model is None:
        note(f"tagging with {run.path.parent.parent}")
    if options.file == "-" and sys.stdin.isatty():
        note("reading from the terminal: type one tokenised sentence a line, Ctrl-D to end")
    tag(run, open_lines(options.file), write_out, options)
