"""One run of an experiment in a process of its own: a run folder with `request.json` in, `result.json` in it out.

`python -m nntag.experiments.worker RUN`. A run that was stopped goes on from its last epoch. The process ends
when its standard input does, so that none outlives the experiment that started it.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from nntag.errors import NntagError
from nntag.experiments.measures import summarise_report
from nntag.files import replace_file
from nntag.json_files import read_json, write_json
from nntag.schema import Flag, Maybe, Real, Record, Rows, Table, Text, Whole

REQUEST, RESULT = "request.json", "result.json"
REQUEST_SCHEMA = Record({"settings": Table(), "data": Text(path=True), "test": Flag(), "device": Text()})
_NUMBER = Maybe(Real(any_size=True))
_RESULT_SCHEMA = Record(
    {
        "score_name": Text(),
        "dev": _NUMBER,
        "test": _NUMBER,
        "best_epoch": Whole(),
        "epochs": Whole(),
        "parameters": Whole(),
        "seconds": Real(),
        "log": Rows(Record({"epoch": Whole()})),
    }
)
WITH_ATTENTION = ("rm", "rmr", "memn")  # models whose memory block can be looked into


def run_request(run: Path) -> dict[str, Any]:
    """Trains what `RUN/request.json` asks for, scores the best epoch on test if asked to, writes `RUN/result.json`."""
    from nntag import __version__
    from nntag.commands.evaluate import evaluate
    from nntag.commands.train import train
    from nntag.config.options.train import TrainOptions
    from nntag.config.options.use import EvaluateOptions
    from nntag.config.settings import settings_from_json
    from nntag.experiments.processor import describe_processor
    from nntag.training.checkpoint import WEIGHTS
    from nntag.training.device import use_threads

    use_threads(1)
    request = read_json(run / REQUEST, REQUEST_SCHEMA, "the request of a run")
    resume = (run / "last" / WEIGHTS).exists()
    if not resume:
        shutil.rmtree(run / "best", ignore_errors=True)  # of a run that was killed before its first epoch was saved
    settings = request["settings"]
    values = settings_from_json(settings).values()
    data, device = request["data"], request["device"]
    own = {} if resume else values
    result = train(
        TrainOptions(settings["name"], data, run, settings["recipe"], resume=resume, device=device, settings=own)
    )
    tested = EvaluateOptions(run, data, device=device)  # dev where there is no test split
    report = evaluate(tested).report if request["test"] else None
    outcome = {
        "nntag": __version__,
        "score_name": result.metric.name,
        "percent": result.metric.percent,
        "higher_is_better": result.metric.higher_is_better,
        "dev": result.best_score,
        "test": report[result.metric.name] if report else None,
        "test_report": summarise_report(report) if report else None,
        "best_epoch": result.best_epoch,
        "epochs": result.epochs,
        "parameters": result.parameters,
        "seconds": result.seconds,
        "processor": describe_processor(device),
        "log": result.log,
    }
    if request.get("attention") and settings["name"] in WITH_ATTENTION:
        outcome["attention"] = _measure_attention(run, device)
    with replace_file(run / RESULT) as partial:
        write_json(partial, outcome)
    return outcome


def read_result(run: Path) -> dict[str, Any]:
    """What `run_request` wrote; raises `RunError`."""
    return read_json(run / RESULT, _RESULT_SCHEMA, "the result of a run; remove it, and the run is scored again")


def _measure_attention(run: Path, device: str) -> list[dict[str, Any]]:
    """The mean attention by position on the test split, or on dev where there is none."""
    from nntag.language_models.attention.collect import collect_attention
    from nntag.language_models.attention.statistics import mean_by_position
    from nntag.language_models.mixture import load_language_model

    loaded = load_language_model([run], device)
    data = loaded.runs[0].open_data()
    stream = loaded.open_split(data, "test" if data.has_split("test") else "dev")
    return mean_by_position(collect_attention(loaded.runs[0].model, stream))


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing is ever written: this returns when the other end of the pipe has gone
    os._exit(1)


def main() -> int:
    """Exit codes as those of `nntag`; an error is the last line of stderr."""
    logging.getLogger("nntag").addHandler(logging.StreamHandler())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        run_request(Path(sys.argv[1]))
    except NntagError as error:
        print(f"nntag: error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
