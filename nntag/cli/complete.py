"""`nntag complete`."""

from __future__ import annotations

from nntag.cli.flags import Json, Threads, with_flags
from nntag.config.options.use import CompleteOptions


@with_flags(CompleteOptions)
def complete_command(options: CompleteOptions, threads: Threads = 1, json: Json = False) -> None:
    """Answer sentence-completion questions.

    A language model chooses the word for the gap of each question.

    Writes one line per question: number, letter, word, lead over the second best in nats, right or wrong; then the
    accuracies.
    With --compare, it prints each question with its candidates and the choice of every run.
    """
    from nntag.cli.printing import note, print_json, print_out
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.language_models.completion.compare import compare_runs, format_comparison
    from nntag.language_models.completion.complete import complete
    from nntag.language_models.report import format_completion_report
    from nntag.training.device import use_threads

    use_threads(threads)
    if options.compare:
        with ProgressReporter() as progress:
            compared = compare_runs(options, progress=progress)
        if json:
            runs = dict(zip(compared.names, compared.accuracies, strict=True))
            print_json({"runs": runs, "right": compared.count_right(), "questions": compared.rows()})
        else:
            print_out(format_comparison(compared))
        return
    with ProgressReporter() as progress:
        found = complete(options, progress=progress)
    note(f"completed with {', '.join(str(run) for run in found.runs)}")
    if json:
        print_json({"runs": [str(run) for run in found.runs], "report": found.report, "questions": found.rows()})
        return
    for row in found.rows():
        verdict = "" if row["right"] is None else "\tright" if row["right"] else "\twrong"
        print_out(f"{row['number']}\t{row['choice']}\t{row['word']}\t{row['margin']:.2f}{verdict}")
    print_out()
    print_out(format_completion_report(found.report))
