# Two targets for a newcomer: `make demo` and `make test`. Both set up everything they need in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENT_READY := vscode-client/node_modules/.ready
VSCODE ?= floor
BROWSER = $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
WORKBENCH := .workbench/$(VSCODE)
FIRST_STEPS := docs/pictures/first_steps$(if $(filter current,$(VSCODE)),_current)
FAST := tests/analysis tests/compiler tests/model tests/pipeline tests/resources tests/rules tests/source \
  tests/test_architecture.py tests/test_examples.py tests/test_verdict.py
GENERATED := tests/rewrites/test_awkward.py tests/rewrites/test_generated.py tests/rewrites/test_generated_layouts.py \
  tests/analysis/test_reuse.py tests/names/test_names_after_edits.py tests/source/test_reading_after_edits.py \
  tests/test_bundles.py
# Published measurements and report rows, and the public repositories that they name (bench/scoreboard).
TRUTH ?= $(firstword $(wildcard ../*/truth))
MIRROR ?= $(firstword $(wildcard ../.mirror ../mirror))
EVIDENCE = $(if $(TRUTH),--truth $(TRUTH)) $(if $(MIRROR),--mirror $(MIRROR))

# Tests start hundreds of processes: each would compile the program anew where bytecode is not written.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-generated check lint check-client vsix test-vscode run-vscode first-steps run-first-steps \
  first-steps-neovim wheel performance accuracy accuracy-quick sbom \
  audit clean

$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Burstline needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## cost the example kernels
	$(BIN)/burstline check examples/tour.cl examples/paper

test: ## everything that is checked, the editor extension included where npm is found
	@$(MAKE) --no-print-directory --jobs=2 lint check-client
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-generated: $(READY) ## many more generated kernels, edits executed, texts typed at random; bundles of all platforms
	BURSTLINE_EFFORT=12 $(BIN)/python -m pytest -q -n auto $(GENERATED)

check: $(READY) lint ## before each commit: lint, types and the fast tests, from text to times, in under a minute
	$(BIN)/python -m pytest -q -n auto -m 'not slow' $(FAST)

lint: $(READY)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy --no-error-summary

ifneq ($(shell command -v npm || true),)
check-client: $(CLIENT_READY)
	cd vscode-client && npm test --silent
else
check-client:
	@echo "skipped: the editor extension's checks need npm"
endif

$(CLIENT_READY): vscode-client/package-lock.json
	cd vscode-client && npm ci --silent --no-progress
	@touch $@

vsix: $(READY) $(CLIENT_READY) ## the editor extension with all it needs but Python; TARGET: linux-x64, darwin-arm64, …
	$(BIN)/python vscode-client/scripts/package.py $(TARGET)

test-vscode: ## the built extension in a real VS Code; VSCODE=current for a newer one, PICTURES=FOLDER for screenshots
	@if ! command -v npm >/dev/null; then echo "skipped: the tests in VS Code need npm"; \
	  elif [ -z "$(BROWSER)" ]; then echo "skipped: the tests in VS Code need Chromium (Debian's package chromium)"; \
	  else $(MAKE) --no-print-directory vsix run-vscode; fi

run-vscode: $(WORKBENCH)/.ready
	cd vscode-client && npm run --silent build:tests && \
	  node out/test/workbench/run.js ../$(WORKBENCH) $(BROWSER) $(abspath $(PICTURES))
	$(if $(PICTURES),$(BIN)/python vscode-client/scripts/shrink.py $(PICTURES))

first-steps: ## the pictures of docs/first_steps.md anew, by a real VS Code (VSCODE=current: a newer one); fails where an edit's promise is not kept
	@if ! command -v npm >/dev/null || [ -z "$(BROWSER)" ]; then echo "skipped: the pictures need npm and Chromium"; \
	  else $(MAKE) --no-print-directory vsix run-first-steps; fi

first-steps-neovim: $(READY) ## the same in a Neovim: docs/pictures/first_steps_neovim
	$(BIN)/python -m bench.neovim_steps

run-first-steps: $(WORKBENCH)/.ready
	cd vscode-client && npm run --silent build:tests && \
	  node out/test/workbench/path.js ../$(WORKBENCH) $(BROWSER) ../examples/first_steps ../$(FIRST_STEPS)
	$(BIN)/python vscode-client/scripts/shrink.py $(FIRST_STEPS)

$(WORKBENCH)/.ready: vscode-client/test/workbench/install.sh
	$< $(WORKBENCH) $(VSCODE)

wheel: sbom
	$(BIN)/python -m build --no-isolation --wheel

sbom: $(READY) ## what a release consists of, as CycloneDX: dist/burstline.cdx.json
	$(BIN)/python .ci/sbom.py dist/burstline.cdx.json

audit: $(READY) ## known vulnerabilities of what a release consists of, as far as the registries answer
	$(BIN)/python .ci/audit.py

accuracy: $(READY) ## docs/accuracy.md anew, from all that was measured; TRUTH=DIR MIRROR=DIR
	$(BIN)/python -m bench.scoreboard $(EVIDENCE) --markdown docs/accuracy.md --readme README.md \
	  --json docs/accuracy.json --history docs/accuracy_history.csv --check

accuracy-quick: $(READY) ## the part of it that fits five minutes, held to the recorded figures
	$(BIN)/python -m bench.scoreboard $(EVIDENCE) --quick --check

performance: $(READY) ## docs/performance.md anew: this server beside clangd, some minutes
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	$(BIN)/python -m bench.performance --markdown docs/performance.md

clean:
	rm -rf $(VENV) build dist vscode-client/node_modules vscode-client/out vscode-client/bundled .workbench
