"""kenlm's queries on an ARPA file: `SCRIPT ARPA TEXT`, one JSON line with perplexity and tokens/s out."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import kenlm

model = kenlm.Model(sys.argv[1])
lines = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
start = time.process_time()
log10 = sum(model.score(line) for line in lines)
seconds = time.process_time() - start
tokens = sum(len(line.split()) + 1 for line in lines)
print(json.dumps({"perplexity": 10 ** (-log10 / tokens), "tokens_per_second": tokens / seconds}))
