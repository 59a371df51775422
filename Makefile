# `make demo` sets everything up and runs the whole tool once; `make test` runs the tests. Both make .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo

export OMP_NUM_THREADS ?= 1

.PHONY: install demo test lint clean

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# preprocess -> train -> eval -> tag on the generated sample, in the folder demo/
demo: install
	rm -rf $(DEMO) && mkdir -p $(DEMO)
	cd $(DEMO) && sh ../examples/demo.sh "$(abspath $(BIN))/nntag"

test: install
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check nntag tests benchmarks
	$(BIN)/mypy nntag

clean:
	rm -rf $(VENV) $(DEMO) build *.egg-info
