# make test    lint, types, layers and tests
# make train   the main job
# Both create .venv first, on a machine that has only Python 3.11 or 3.12.

# Candidates are run, not only found: version managers leave commands behind that start nothing.
PYTHON ?= $(shell for python in python3.12 python3.11 python3; do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' 2>/dev/null \
	&& echo "$$python" && break; done)
BIN := .venv/bin
INSTALLED := .venv/installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# what `make train` trains: an Aliengo for all terrains where there is a GPU, a Go1's first steps elsewhere
TRAIN ?= $(shell nvidia-smi >/dev/null 2>&1 && echo aliengo || echo go1 --preset laptop --envs $$((512 / $(CORES))))
# without a GPU one process a core, up to four, which is faster than one process with as many threads
CORES := $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 1 ? 1 : n > 4 ? 4 : n)))
LAUNCH ?= $(shell nvidia-smi >/dev/null 2>&1 && echo $(BIN)/him \
	|| echo $(BIN)/torchrun --standalone --nproc-per-node $(CORES) -m -- him)
# further options for pytest, for example: make test PYTEST="-k robots"; as many tests at once as there are cores
PYTEST ?= -n $(CORES)

.PHONY: test lint types layers train
.DEFAULT_GOAL := test

test: lint types layers
	$(BIN)/python -m pytest $(PYTEST)

lint: $(INSTALLED)
	$(BIN)/ruff check .

types: $(INSTALLED)
	$(BIN)/mypy

layers: $(INSTALLED)
	$(BIN)/python tools/layers.py

train: $(INSTALLED)
	$(LAUNCH) train $(TRAIN)

# torch goes first and alone, so that the build this machine's index offers is kept by what follows
$(INSTALLED): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or 3.12 found: install one, or make PYTHON=/path/to/python"; exit 1; }
	@"$(PYTHON)" -m venv .venv || { echo "no venv module: install the package python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet "$$(grep '^torch==' requirements.lock)"
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
