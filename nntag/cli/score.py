"""`nntag score`."""

from __future__ import annotations

import sys

from nntag.cli.engine import run_on_engine
from nntag.cli.flags import Threads, with_flags
from nntag.config.fields import refuse_flags
from nntag.config.options.engine import EngineOptions
from nntag.config.options.use import ScoreOptions


@with_flags(ScoreOptions, further=(EngineOptions,))
def score_command(options: ScoreOptions, engine: EngineOptions, threads: Threads = 1) -> None:
    """Score text with a language model.

    Reads one tokenised sentence per line, and writes one line for each: log-probability, perplexity, number of tokens,
    number of unknown words. All log-probabilities are natural logarithms (nats).

    </s> is predicted and counted as a token. Totals go to stderr.
    """
    from nntag.cli.printing import note, write_out
    from nntag.corpora.lines import open_lines
    from nntag.language_models.mixture import load_language_model
    from nntag.language_models.predict import predict_lines
    from nntag.language_models.score import score_lines
    from nntag.training.device import use_threads

    use_threads(threads)
    if engine.engine is not None:
        run_on_engine(options, [options.file], engine)
        return
    loaded = load_language_model(options.models, options.device, options.weights)
    if not options.models:
        note(f"scoring with {loaded.runs[0].path.parent.parent}")
    if options.file == "-" and sys.stdin.isatty():
        kind = "text" if options.tokenize else "one tokenised sentence per line"
        note(f"reading from the terminal: type {kind}, Ctrl-D to end")
    if options.next is not None:
        refuse_flags(options, ("per_token", "words", "skip_bad"), "has no meaning with --next")
        predict_lines(loaded, open_lines(options.file), write_out, options.next, options.json, options.tokenize)
        return
    totals = score_lines(loaded, open_lines(options.file), write_out, options)
    if totals.sentences:
        note(
            f"{totals.sentences:,} sentences, {totals.tokens:,} predicted tokens ({totals.unknown:,} unknown words), "
            f"log-probability {totals.log_probability:.2f} nats, perplexity {totals.perplexity:.2f}"
        )
