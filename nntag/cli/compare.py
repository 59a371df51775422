"""`nntag compare`."""

from __future__ import annotations

from nntag.cli.flags import Json, Threads, with_flags
from nntag.config.options.compare import CompareOptions


@with_flags(CompareOptions)
def compare_command(options: CompareOptions, threads: Threads = 1, json: Json = False) -> None:
    """Say whether one of two runs is better, or both are equally good.

    Both are judged on the same data: accuracies by McNemar's test (exact binomial below 25 discordant answers, else
    chi-squared with continuity correction), perplexity and F1 by the paired bootstrap, which also gives the 95 %
    interval of every difference. One is called better where p is below 0.05 and the interval leaves out zero.
    """
    from nntag.cli.printing import print_json, print_out
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.commands.comparison.compare import compare
    from nntag.commands.comparison.report import format_comparison
    from nntag.training.device import use_threads

    use_threads(threads)
    with ProgressReporter() as progress:
        found = compare(options, progress)
    if json:
        print_json(found.to_json())
    else:
        print_out(format_comparison(found))
