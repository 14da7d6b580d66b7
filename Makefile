# Two commands do everything: `make demo` and `make test`. Both set up what they need in .venv.
SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
INTERFACE_FILES := $(shell find interfaces -type f)
SET_UP := setup.cfg setup.py .ci/set_up.py .ci/requirements.py $(wildcard common/rover_common/wheels/*.py)
# What starts nothing; of this, what takes no time.
PURE := not ros and not process and not system and not long
FORKED := $(BIN)/python -m pytest --forks 3
ARGS ?=
# Every process of the suite loads the same files: they are compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo extras wheels test checks lint format hooks types unit quick coverage steady bench clean

help: ## what can be done here
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

setup: $(STAMPS)/test ## make .venv with everything that demo and test need

$(STAMPS)/venv: .ci/find_python
	@set -e; python=$$(.ci/find_python); \
	echo "Creating $(VENV) with $$python"; \
	exec "$$python" .ci/make_once.py --title 'creating $(VENV): Python unpacks pip' $@ $^ -- \
	  "$$python" -m venv --clear $(VENV)

# What is under way is printed by .ci/set_up.py; compiled interfaces are kept for the next clone.
$(STAMPS)/demo: $(STAMPS)/venv $(SET_UP) $(INTERFACE_FILES)
	@$(BIN)/python .ci/make_once.py $@ $^ -- $(BIN)/python .ci/set_up.py demo

$(STAMPS)/test: $(STAMPS)/venv $(SET_UP) $(INTERFACE_FILES)
	@$(BIN)/python .ci/make_once.py $@ $^ -- $(BIN)/python .ci/set_up.py test
	@touch $(STAMPS)/demo # is in it

extras: $(STAMPS)/demo ## add optional parts: make extras NAMES='mcp ollama'
	@$(BIN)/python .ci/set_up.py extras $(NAMES)

wheels: $(STAMPS)/venv ## put wheels into dist/, for machines without a compiler
	@$(BIN)/python .ci/set_up.py wheels

demo: $(STAMPS)/demo ## run the rover: one goal, end to end (ARGS='--set …' is passed on)
	@$(BIN)/bt-executive demo $(ARGS)

# What keeps one core busy for a while goes beside the tests, which are collected meanwhile.
test: setup ## everything that CI checks
	@$(MAKE) --no-print-directory --jobs 2 unit checks

checks: lint types

# The only list of these checks: .pre-commit-config.yaml calls it.
lint: setup ## ruff, codespell, yamllint, shellcheck and hadolint, as before each commit
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/codespell
	@$(BIN)/yamllint --strict .
	@$(BIN)/shellcheck --external-sources .ci/find_python .ci/run .ci/types overlay_ws/scripts/*.sh config/network/*.sh
	@$(BIN)/hadolint docker/*.Dockerfile

format: setup ## let ruff put code into its form and mend what it can
	@$(BIN)/ruff check --fix --exit-zero .
	@$(BIN)/ruff format .

hooks: setup ## let git run lint before each commit and coverage before each push
	@$(BIN)/pre-commit install

types: setup
	@.ci/types

# Six at a time on two cores, for many wait. The tests of whole systems stand evenly among
# the others: their processes compute as long as they run, so two systems at once take more than twice as long.
unit: setup
	@$(BIN)/python -m pytest --forks 6 $(ARGS)

quick: setup ## the tests that start no process and no ROS graph and take no time: half a minute
	@$(FORKED) -m '$(PURE) and not slow' $(ARGS)

coverage: setup ## the tests that start nothing, and that they cover as much as before: .ci/coverage_floor.py
	@$(FORKED) -m '$(PURE)' --quiet --cov --cov-report= --cov-fail-under=0
	@$(BIN)/python .ci/coverage_floor.py

steady: setup ## the suite 20 times, 10 of them beside a busy core: .ci/steady.py
	@$(BIN)/python .ci/steady.py $(ARGS)

bench: setup ## measure the numbers of docs/numbers.md
	@$(BIN)/python -m bench $(ARGS)

clean: ## remove what setup made
	rm -rf $(VENV) build dist install log
