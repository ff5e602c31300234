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
bench-load:  ## A 700 MB JSONL file: time and memory beside read_json
	PYTHONPATH=. .venv/bin/python benchmarks/load_jsonl.py

.PHONY: bench-metrics
bench-metrics: setup ## metrics and marts over ten million rollouts: time and memory
	@$(BIN)/python benchmarks/metrics_and_marts.py

.PHONY: bench-ask
bench-ask: setup ## How near asking models comes to the server's own rate
	@$(BIN)/python benchmarks/ask_rate.py

.PHONY: bench-kills
bench-kills: setup ## 1,000 problems, 4 rollouts, 20 times kill -9: every answer once
	@MATHMART_TWENTY_KILLS=1 $(BIN)/pytest tests/functional/models/test_kill.py -s -k thousand
