"""`python -m tests.training.joined REQUESTS`: trains what a JSON list asks for, as one of several processes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions

if __name__ == "__main__":
    for request in json.loads(Path(sys.argv[1]).read_text()):
        train(TrainOptions(**request))
