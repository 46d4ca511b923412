PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers/bin
NAME ?=

export PYTHONDONTWRITEBYTECODE =# tests start hundreds of processes: each would compile the package anew

.PHONY: demo test test-long lint bench bench-peers clean

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch .venv/ready

.venv-peers/ready: bench/peers.txt bench/peers-bare.txt
	$(PYTHON) -m venv .venv-peers
	$(PEERS)/python -m pip install --quiet --upgrade pip
	$(PEERS)/python -m pip install --quiet --requirement bench/peers.txt
	$(PEERS)/python -m pip install --quiet --no-deps --requirement bench/peers-bare.txt
	touch .venv-peers/ready

.venv-peers-query/%/ready: bench/peers-query-%.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install --quiet --requirement $<
	touch $@

.venv-peers-local/ready: bench/peers-local.txt
	$(PYTHON) -m venv .venv-peers-local
	.venv-peers-local/bin/python -m pip install --quiet --upgrade pip
	.venv-peers-local/bin/python -m pip install --quiet --requirement bench/peers-local.txt
	touch $@

.venv-peers-audit/ready: bench/peers-audit.txt
	$(PYTHON) -m venv .venv-peers-audit
	.venv-peers-audit/bin/python -m pip install --quiet --upgrade pip
	.venv-peers-audit/bin/python -m pip install --quiet --requirement bench/peers-audit.txt
	touch $@

.venv-peers-learn/ready: bench/peers-learn.txt bench/peers-learn-bare.txt
	$(PYTHON) -m venv .venv-peers-learn
	.venv-peers-learn/bin/python -m pip install --quiet --upgrade pip
	.venv-peers-learn/bin/python -m pip install --quiet torch==2.13.0  # before the others, which would take a larger build
	.venv-peers-learn/bin/python -m pip install --quiet --requirement bench/peers-learn.txt
	.venv-peers-learn/bin/python -m pip install --quiet --no-deps --requirement bench/peers-learn-bare.txt
	touch $@

demo: .venv/ready
	$(BIN)/python examples/demo.py

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m bench.house --guard

test: lint
	$(BIN)/pytest -n 2 --dist loadgroup

test-long: .venv/ready
	$(BIN)/pytest -n 2 --dist loadgroup -m long

bench-peers: .venv-peers/ready .venv-peers-local/ready .venv-peers-audit/ready .venv-peers-learn/ready .venv-peers-query/opendp/ready .venv-peers-query/smartnoise/ready .venv-peers-query/tumult/ready

bench: .venv/ready bench-peers
	$(BIN)/python -m bench $(NAME)

clean:
	rm -rf .venv .venv-peers .venv-peers-local .venv-peers-audit .venv-peers-learn .venv-peers-query .bench build dist
