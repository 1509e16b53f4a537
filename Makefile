# Two targets for a newcomer: `make demo` and `make test`. Both set up everything they need in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint check-client wheel clean

$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Burstline needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## cost the example kernels
	$(BIN)/burstline check examples/tour.cl examples/paper

test: $(READY) lint ## everything that is checked, the editor extension included where npm is found
	$(BIN)/python -m pytest
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-client; \
	  else echo "skipped: the editor extension's checks need npm"; fi

lint: $(READY)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy --no-error-summary

check-client:
	cd vscode-client && npm ci --silent --no-progress && npm test --silent

wheel: $(READY)
	$(BIN)/python -m build --no-isolation --wheel

clean:
	rm -rf $(VENV) build dist vscode-client/node_modules vscode-client/out
