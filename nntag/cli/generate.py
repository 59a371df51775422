"""`nntag generate`."""

from __future__ import annotations

from nntag.cli.flags import Threads, with_flags
from nntag.config.options.generate import GenerateOptions


@with_flags(GenerateOptions)
def generate_command(options: GenerateOptions, threads: Threads = 1) -> None:
    """Write sentences with a language model.

    Each word is drawn from the model's probabilities given the words before it, until the model ends the sentence or it
    is as long as --max-length allows. One sentence per line, as it is written.
    """
    import json

    from nntag.cli.printing import note, print_out
    from nntag.language_models.generate import generate_sentences
    from nntag.language_models.mixture import load_language_model
    from nntag.training.device import use_threads

    use_threads(threads)
    loaded = load_language_model(options.models, options.device, options.weights)
    if not options.models:
        note(f"writing with {loaded.runs[0].folder}")
    for sentence in generate_sentences(loaded, options):
        record = {"words": sentence.words, "ended": sentence.ended}
        print_out(json.dumps(record, ensure_ascii=False) if options.json else " ".join(sentence.words))
