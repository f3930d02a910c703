# One command each: `make lab` to learn, `make test` to check. Everything else is a part of those two.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# Python 3.11 first, because the committed outputs were made with it; otherwise the newest that really runs.
find_python = for p in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	if $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' >/dev/null 2>&1; then echo $$p; break; fi; done
PYTHON ?= $(shell $(find_python))

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
# Which texts the tests embed: make test compares them with data/vectors
ASKED := $(CURDIR)/build/asked

.PHONY: help lab update setup test notebooks verify vectors tour lint bench kit slides clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): requirements.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.14 was found. Install one from your system's packages or python.org, then run make again; or name one: make PYTHON=/path/to/python3.11 setup"; exit 1; }
	@"$(PYTHON)" -m tools.install --check
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m tools.install
	@touch $@

$(DEV): $(STAMP) requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

setup: $(STAMP) ## create .venv and install the course
	@$(BIN)/python -m hierrag_lessons.environment

lab: $(STAMP) ## open JupyterLab on your copy of the tour; LAB="..." hands it options
	@$(BIN)/python -m tools.lab $(LAB)

update: $(STAMP) ## after git pull: refresh what you have not changed in work
	@$(BIN)/python -m tools.work_folder

tour: $(STAMP) ## run the tour without a browser and print its scoreboard
	@$(BIN)/python -m tools.tour

test: $(DEV) lint ## run every test
	@echo "Every test, two at a time, and with them every notebook again: about a quarter of an hour on two cores."
	@rm -rf $(ASKED) && mkdir -p $(ASKED)
	ASKED_TEXTS=$(ASKED) $(BIN)/python -m pytest --numprocesses 2 --dist worksteal
	@# What is missing costs time and no result, so this says it and fails nothing.
	-$(BIN)/python -m tools.vectors --check $(ASKED)

lint: $(DEV) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

notebooks: $(DEV) ## rebuild and execute every notebook
	$(BIN)/python -m tools.build_notebooks

verify: $(STAMP) ## execute every notebook again and compare
	$(BIN)/python -m tools.verify_notebooks

vectors: $(DEV) ## after a change of texts, settings or lessons: the vectors in data/vectors that belong to them
	$(BIN)/python -m tools.vectors
	$(BIN)/python -m tools.pages

bench: $(STAMP) ## measure quality and speed; writes benchmarks/results
	$(BIN)/python -m benchmarks.baselines
	$(BIN)/python -m benchmarks.bakeoff
	$(BIN)/python -m benchmarks.chunkers
	$(BIN)/python -m benchmarks.retrievers
	$(BIN)/python -m benchmarks.retrieval
	$(BIN)/python -m benchmarks.index_types
	$(BIN)/python -m benchmarks.index_types texts
	$(BIN)/python -m benchmarks.questions
	$(BIN)/python -m benchmarks.development
	$(BIN)/python -m benchmarks.answers
	$(BIN)/python -m tools.pages

kit: $(STAMP) ## wheels and course in the folder kit, for a room without a network
	$(BIN)/python -m tools.kit

slides: $(STAMP) ## slides of five lessons, made from their notebooks, in the folder slides
	$(BIN)/python -m tools.slides

clean: ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis *.egg-info
