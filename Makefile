# Every target sets up what it needs; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
# One more than there are cores, as tests and campaigns also wait.
WORKERS ?= $(shell expr $$(nproc) + 1)
VENV := .venv
BIN := $(VENV)/bin
OUT := out/tcp-replacements
SEED ?= 1
CASES ?= 20000
FUZZ_S ?= 600
GALLERY := changes questions-period-2 main-effects-period-2 significance-period-2 influence correlations \
	correlations-clusters clusters-period-2 components-period-2 outliers-filtered-period-2 \
	residuals-period-2 ranks-period-2

# rustup's toolchain comes first where there is one, also in shells that did not read its profile.
export PATH := $(HOME)/.cargo/bin:$(PATH)
# A missing Rust toolchain is a clear sentence, not a silent download of another one.
export MATURIN_NO_INSTALL_RUST := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MPLBACKEND := Agg
# Two workers with as many threads of BLAS as cores wait for each other; the matrices are small.
export OPENBLAS_NUM_THREADS ?= 1

BUILT_FROM := pyproject.toml studies/pyproject.toml constraints.txt Cargo.toml Cargo.lock \
	$(shell find crates -name '*.rs' -o -name Cargo.toml)
# Lint and tests run side by side; make's job server is not for cargo, which warns of it.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
NO_EXTENSION := --workspace --exclude headgate-py
EMBEDDING := --quiet --locked --manifest-path examples/embedding/Cargo.toml --target-dir target/embedding
QUIC_BENCH = --quiet --locked --manifest-path quic-bench/Cargo.toml --target-dir target/quic-bench \
	--features "noq $$(scripts/quiche-feature.sh)"

.PHONY: help
help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

# The first run writes the byte code that pip leaves out, whatever the shell says: the next ones begin sooner.
.PHONY: predict
predict: $(VENV)/.ok ## What happens to the network if everyone's TCP is replaced? A study, its findings, a report
	@PYTHONDONTWRITEBYTECODE= $(BIN)/headgate study tcp-replacements --scale quick --out $(OUT)
	@printf '%s\n' 'Next:' \
		'  $(BIN)/headgate init first.toml                   # a scenario of your own, with comments' \
		'  $(BIN)/headgate run first.toml --out out/first    # run it, and keep the result' \
		'  $(BIN)/headgate plot out/first                    # see it'

.PHONY: test
test: $(VENV)/.dev ## Everything that must hold: style, types, tests, docs, examples
	@$(MAKE) -j2 --output-sync=target lint test-rust
	@$(MAKE) -j2 test-python docs-and-examples

.PHONY: setup
setup: $(VENV)/.dev ## Build the engine and install the package into .venv, with what tests and docs need

# pip fetches dependencies, then builds. Cargo builds the engine beside it; cargo's own lock lets only one build write.
# (Two builds by maturin would move the same library at once.)
$(VENV)/.ok: $(BUILT_FROM)
	@scripts/need-tools.sh $(PYTHON)
	@echo "Setting up $(VENV) and building the engine (a few minutes the first time) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(CARGO) build --quiet --release --locked $(NO_EXTENSION) & \
		$(BIN)/pip install --quiet --no-compile -c constraints.txt -e ".[all]" -e studies; built=$$?; wait; exit $$built
	@touch $@

$(VENV)/.dev: $(VENV)/.ok
	@$(BIN)/pip install --quiet -c constraints.txt "headgate[test,lint,docs]"
	@touch $@

# `cargo fmt` does not reach modules that a registry's macro declares, so rustfmt is given every file.
.PHONY: lint
lint: $(VENV)/.dev ## Formatting, clippy, ruff, mypy, idioms
	@scripts/need-tools.sh $(PYTHON) dev
	find crates examples fuzz python quic-bench tests -name '*.rs' -not -path '*/target/*' -print0 | xargs -0 rustfmt --edition 2024 --check
	$(CARGO) clippy --quiet --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/python scripts/idioms.py

.PHONY: test-rust
test-rust: ## The engine's own tests
	@scripts/need-tools.sh $(PYTHON)
	$(CARGO) test --quiet --profile simtest --locked $(NO_EXTENSION)

.PHONY: test-python
test-python: $(VENV)/.dev ## The package's tests, the oracles among them
	$(BIN)/python -m pytest --quiet -n $(WORKERS) --dist loadfile --durations 15

.PHONY: validate
validate: $(VENV)/.dev ## What `make test` leaves out: long comparisons, and what needs an idle machine
	$(BIN)/python -m pytest --quiet -n $(WORKERS) --dist loadfile --timeout 0 -m slow
	$(BIN)/python -m pytest --quiet --timeout 0 -m timing
	$(CARGO) test --quiet --profile simtest --locked -p headgate-netsim --test oracle -- --ignored
	$(CARGO) test --quiet --profile simtest --locked -p headgate-capture --test captures -- --ignored
	$(CARGO) test --quiet --profile simtest --locked -p headgate-emulate -- --ignored
	@$(MAKE) embedding quic-bench packages

.PHONY: embedding
embedding: ## Our controllers in quinn, and that of s2n-quic in our dumbbell (Rust >= 1.95)
	$(CARGO) clippy $(EMBEDDING) --all-targets -- -D warnings
	$(CARGO) test $(EMBEDDING)

.PHONY: quic-bench
quic-bench: ## The congestion control of QUIC stacks in simulated time: tests, and all scenarios (Rust >= 1.88)
	$(CARGO) clippy $(QUIC_BENCH) --all-targets -- -D warnings
	$(CARGO) test $(QUIC_BENCH)
	$(CARGO) run $(QUIC_BENCH) --example own_stack -- run quic-bench/scenarios/*.toml --fail-on differs

.PHONY: wheel
wheel: $(VENV)/.dev ## Build the wheels into dist, audit them, prove that they run without Rust
	@$(BIN)/pip install --quiet -c constraints.txt "maturin[zig]" auditwheel
	@rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --quiet --release --locked --zig --compatibility manylinux2014 --out dist
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist ./studies
	$(BIN)/auditwheel show dist/headgate-*.whl
	scripts/prove-wheel.sh $(PYTHON)

.PHONY: packages
packages: ## Pack every crate, and build each from its package
	$(CARGO) package --quiet --locked --workspace --allow-dirty --target-dir target/packages

.PHONY: fuzz
fuzz: $(VENV)/.dev ## Check CASES random scenarios, from SEED on; a run that was stopped goes on
	$(BIN)/python -m tests.fuzz --cases $(CASES) --seed $(SEED) --workers $(WORKERS)

.PHONY: fuzz-bytes
fuzz-bytes: ## Feed bytes to what reads plans, arrays, snapshots and captures (nightly Rust, cargo-fuzz)
	@scripts/fuzz-bytes.sh $(FUZZ_S)

.PHONY: audit
audit: $(VENV)/.dev ## Licences and advisories of crates and Python packages (cargo-deny)
	@$(BIN)/python scripts/licences.py
	@scripts/audit-crates.sh

.PHONY: miri
miri: ## The tests of model and algos under Miri (nightly Rust with miri)
	@scripts/miri.sh

.PHONY: races
races: ## Threads of a run in every order of their steps (loom), and under ThreadSanitizer (nightly Rust)
	@scripts/races.sh

.PHONY: mutants
mutants: ## Make small wrong changes of algorithms, disciplines and ports; the Rust tests must notice (cargo-mutants)
	@scripts/need-tools.sh $(PYTHON)
	@nice $(PYTHON) -m tests.mutants --seed $(SEED) --workers $(WORKERS)

.PHONY: examples
examples: $(VENV)/.dev ## Run every example
	@for example in examples/*.py; do \
		echo "$$example"; $(BIN)/python "$$example" > /dev/null; \
	done

.PHONY: docs
docs: $(VENV)/.dev ## Build the documentation into docs/_build/html, the crates' into rust there; a warning is an error
	@rm -rf target/doc docs/_build/html/rust
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --locked --no-deps --workspace
	$(BIN)/sphinx-build --quiet -W --keep-going -b html docs docs/_build/html
	@cp -r target/doc docs/_build/html/rust

# One after the other, beside the tests of Python, which also wait.
.PHONY: docs-and-examples
docs-and-examples:
	@$(MAKE) docs
	@$(MAKE) examples

.PHONY: site
site: docs ## Put the documentation beside that of other versions in site, to be served at URL
	$(BIN)/python scripts/site.py docs/_build/html site $(or $(URL),/)

.PHONY: schemas
schemas: $(VENV)/.dev ## Make the JSON Schemas of all forms of TOML, and the man page, from the code
	@$(BIN)/headgate schema --out python/headgate/experiment/schemas
	@mv python/headgate/experiment/schemas/preserved.schema.json studies/headgate_studies/nist/
	@$(BIN)/headgate man --out headgate.data/data/share/man/man1/headgate.1

.PHONY: notebook
notebook: $(VENV)/.dev ## Make the notebooks: that of the documentation, in a kernel, and the exercises
	@$(BIN)/python scripts/notebook.py

.PHONY: gallery
gallery: predict ## Make the pictures of the documentation's gallery from a run of the first study
	@for name in $(GALLERY); do cp $(OUT)/figures/$$name.png docs/images/gallery/$${name%-period-2}.png; done

.PHONY: bench
bench: $(VENV)/.ok ## Time the engine on the four bench networks (one idle core, several minutes)
	@$(BIN)/headgate bench

.PHONY: clean
clean: ## Remove everything that these commands wrote
	rm -rf $(VENV) target dist out site docs/_build docs/reference/generated studies/build
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f python/headgate/_native*.so
	find python studies tests examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
