# `make demo` sets everything up and runs the whole tool once; `make test` runs the tests. Both make .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo
EXTRAS_VENV ?= .venv-extras
EXTRAS := dev,plots,transformers,parse,ray,spacy
CASES ?= ../shared/cases

export OMP_NUM_THREADS ?= 1

MINUTES ?= 10
N ?= 200
JOBS ?= auto

.PHONY: install demo hostile fuzz kills bench bench-peers gpu-check test lint test-extras cases audit pins clean

install: $(VENV)/installed

# Everything but torch is pinned with its hashes; torch comes as the build that the machine's index has.
$(VENV)/installed: pyproject.toml constraints.txt requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# preprocess -> train -> eval -> tag on the generated sample, in the folder demo/
demo: install
	rm -rf $(DEMO) && mkdir -p $(DEMO)
	cd $(DEMO) && sh ../examples/demo.sh "$(abspath $(BIN))/nntag"

# a process a core; a file of tests stays in one
test: install
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile

# thousands of mutated run and data folders, each to be refused in one line: make hostile MINUTES=10
hostile: install
	$(BIN)/python -m tests.hostile --minutes $(MINUTES)

# mutated files for every reader, and more: make fuzz MINUTES=10; DATA=FOLDER adds real files
fuzz: install
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(DATA),--data $(DATA))

# train, preprocess, experiment and tag, killed at N random moments and gone on with
kills: install
	$(BIN)/python -m tests.kills --count $(N)

# ratios to plain work on this machine, compared with benchmarks/recorded.json; some minutes
bench: install
	$(BIN)/python benchmarks/bench.py

# spaCy, python-crfsuite, kenlm, pytorch-tree-lstm, each in build/peers: make bench-peers PEERS='--data FOLDER --epochs 10'
bench-peers: install
	$(BIN)/python benchmarks/bench_peers.py $(PEERS)

# on a machine with a GPU: what only that can show, written into docs/performance.md
gpu-check: install
	$(BIN)/python benchmarks/gpu_check.py --write docs/performance.md

lint: install
	$(BIN)/ruff check nntag tests benchmarks
	$(BIN)/ruff format --check nntag tests
	$(BIN)/mypy nntag

$(EXTRAS_VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(EXTRAS_VENV)
	$(EXTRAS_VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	touch $@

# the tests of optional integrations, in an environment that has them all: here none may skip for want of a package
test-extras: $(EXTRAS_VENV)/installed
	$(EXTRAS_VENV)/bin/python -c 'import depccg, matplotlib, pyarrow, ray.data, spacy, transformers'
	$(EXTRAS_VENV)/bin/python -m pytest tests/encoding/contextual tests/tagging/parsing tests/tagging/test_contextual.py \
	  tests/trees/test_contextual.py tests/integrations tests/experiments/test_ray_pool.py

# a folder of external cases, run through tests/cases_adapter.sh: make cases CASES=FOLDER
cases: install
	@if [ -d "$(CASES)" ]; then \
	  if [ -d "$(CASES)/behaviour" ]; then $(BIN)/python -m tests.behaviour "$(CASES)/behaviour" || exit 1; fi; \
	  cd "$(CASES)" && PATH="$(abspath $(BIN)):$$PATH" NNTAG_ADAPTER="$(abspath tests/cases_adapter.sh)" bash run_all.sh; \
	else echo "no folder $(CASES); name one: make cases CASES=FOLDER"; fi

# Known vulnerabilities of what is pinned (asks the index of the Python Packaging Authority).
audit:
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet pip-audit
	.venv-audit/bin/pip-audit --require-hashes --disable-pip --requirement requirements-dev.txt

# requirements-dev.txt anew, for the newest versions that pyproject.toml allows.
pins:
	$(PYTHON) -m venv .venv-pins
	.venv-pins/bin/python -m pip install --quiet uv
	.venv-pins/bin/uv pip compile --quiet pyproject.toml --extra dev --constraint constraints.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --no-annotate > requirements-dev.txt.new
	(head -3 requirements-dev.txt; awk '/^[A-Za-z0-9]/ { kept = $$0 !~ /^(torch|triton|nvidia|cuda)/ } kept' \
		requirements-dev.txt.new) > requirements-dev.txt.pinned
	mv requirements-dev.txt.pinned requirements-dev.txt && rm requirements-dev.txt.new

clean:
	rm -rf $(VENV) $(EXTRAS_VENV) .venv-audit .venv-pins $(DEMO) build *.egg-info
