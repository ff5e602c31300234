# Math-Verify lives in an environment of its own: it is what we are measured against, not what we are made of.

MATH_VERIFY := build/math-verify

.PHONY: bench-judge

bench-judge: setup $(MATH_VERIFY)/.installed ## time the judge beside Math-Verify; writes benchmarks/judge.md
	@$(BIN)/python benchmarks/bench_judge.py $(MATH_VERIFY)/bin/python

$(MATH_VERIFY)/.installed:
	@$(BIN)/python -m venv $(MATH_VERIFY)
	@$(MATH_VERIFY)/bin/python -m pip install --quiet --disable-pip-version-check 'math-verify[antlr4_13_2]==0.9.0'
	@touch $@

.PHONY: bench-load
BENCH_MB ?= 700
bench-load: setup ## time a JSONL load beside read_json (BENCH_MB=700); prints ratios and peak memory
	@PYTHONPATH=. $(BIN)/python benchmarks/load_jsonl.py $(BENCH_MB)

.PHONY: bench-small-files bench-everything fuzz kills
BENCH_FILES ?= 10000
bench-small-files: setup ## time a load of BENCH_FILES=10000 small JSON files beside read_json
	@PYTHONPATH=. $(BIN)/python benchmarks/load_small_files.py $(BENCH_FILES)

FOLDER ?= $(or $(MATHMART_SHARED),../shared)/data
bench-everything: setup ## time one load of a folder of everything (FOLDER=../shared/data)
	@PYTHONPATH=. $(BIN)/python benchmarks/load_everything.py $(FOLDER)

fuzz: setup ## more than 2,000 damaged files of every format
	@MATHMART_FUZZ=25 $(BIN)/pytest tests/functional/formats/test_fuzz.py

kills: setup ## thirty times kill -9 during a load
	@MATHMART_KILLS=30 $(BIN)/pytest tests/functional/test_load_kill.py

.PHONY: bench-metrics
BENCH_MILLIONS ?= 10
bench-metrics: setup ## time metrics and marts over BENCH_MILLIONS=10 million rollouts; writes benchmarks/metrics.md
	@PYTHONPATH=. $(BIN)/python benchmarks/metrics_and_marts.py $(BENCH_MILLIONS)

.PHONY: bench-ask
bench-ask: setup ## share of a server's rate that asking reaches: 64 in flight, 50 ms each
	@PYTHONPATH=. $(BIN)/python benchmarks/ask_rate.py
