"""Limits of the judge, each with its reason. A limit turns work into `undecided`, never into an exception."""

from __future__ import annotations

# A final answer is a line, not an essay; the longest honest ones (factored polynomials of degree 1,000,
# lists of some thousand numbers) stay below this. Longer texts are only compared as text.
MAX_CHARS = 20_000

# Brackets in brackets, after numbers are folded. People stop at about ten; walks over the tree are recursive
# and use some frames a level, so this keeps them far from the interpreter's limit.
MAX_DEPTH = 60

# Decimal digits of a number that is still read as a number. CPython itself refuses int() above 4,300.
MAX_DIGITS = 4_000

# Bits of a number that is still computed exactly; 2^100000 and 1000! fit, towers of powers do not.
MAX_BITS = 200_000

# Bits of the exponent of a power that is not computed, only compared: a number of four thousand digits.
MAX_HUGE_EXPONENT_BITS = 13_000

# Terms of one polynomial in normal form, and multiplications of terms in one comparison: about 30 ms.
MAX_TERMS = 3_000
MAX_TERM_PRODUCTS = 20_000

# Largest power of a sum that is multiplied out.
MAX_EXPANDED_POWER = 16

# Trial division stops at this prime; what is left counts as prime, which loses no soundness.
MAX_TRIAL_PRIME = 2_000

# Binary exponent above which a number is only known to be huge.
MAX_BINARY_EXPONENT = 1 << 40

# Work of one numeric evaluation, in nodes of the tree.
MAX_EVALUATED_NODES = 2_000

# Terms of a sum or product that is written out as an expression.
MAX_WRITTEN_OUT_TERMS = 200

# Terms of a sum or product that is added up term by term, and the work that one evaluation with such sums may take:
# about 0.2 s, where computer algebra takes longer than that to begin.
MAX_SUMMED_TERMS = 5_000
MAX_SERIES_NODES = 20_000

# Factors of a finite product that computer algebra is asked for; it would multiply them one by one.
MAX_PRODUCT_FACTORS = 10_000

# Signs of ± in one answer: 2^4 values.
MAX_PLUS_MINUS = 4

# Pairs of items that are compared by more than their keys when two unordered lists are matched.
MAX_MATCHED_PAIRS = 400

# Pairs of answers that are compared by more than their keys when the answers to one problem are grouped.
MAX_CLASS_PAIRS = 4_000

# Symbolic work: seconds of processor time of a worker, which do not depend on how busy the machine is; the
# deadline on the clock is the net under it.
WORKER_CPU_SECONDS = 1.2
WORKER_WALL_SECONDS = 5.0
WORKER_START_SECONDS = 30.0
WORKER_MEMORY_BYTES = 768 * 2**20

# Answers kept in memory after reading; a run repeats its golds and most of its answers.
CACHED_READINGS = 20_000
MAX_CACHED_CHARS = (
    400  # a tree takes some hundred bytes a character: 20,000 readings stay under 1 GB
)
