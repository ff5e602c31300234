"""The worker process: computer algebra on trees that came through the reader, within hard limits.

Run as a module with the limits as arguments; see `workers` for the protocol. Objects of the algebra system are built
node by node from the tree. No text is ever parsed here.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from typing import Any

import sympy

# Digits to which values have to agree before an equality without proof is believed.
DIGITS = 40
# Digits of a value that is to be compared with a rounded decimal.
VALUE_DIGITS = 25
# Digits in which two values have to differ before anything is proven of them.
ROUGH_DIGITS = 8

_FUNCTIONS = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "cot": sympy.cot, "sec": sympy.sec, "csc": sympy.csc,
    "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh, "coth": sympy.coth, "arcsin": sympy.asin,
    "arccos": sympy.acos, "arctan": sympy.atan, "arccot": sympy.acot, "floor": sympy.floor, "ceil": sympy.ceiling,
    "ln": sympy.log, "binom": sympy.binomial, "gcd": sympy.gcd, "lcm": sympy.lcm, "max": sympy.Max, "min": sympy.Min,
    "sgn": sympy.sign, "Re": sympy.re, "Im": sympy.im, "arcsinh": sympy.asinh, "arctanh": sympy.atanh,
}  # fmt: skip
_CONSTANTS = {"pi": sympy.pi, "ℯ": sympy.E, "ⅈ": sympy.I, "oo": sympy.oo}


class Unknown(Exception):
    """The tree holds something that is no expression."""


def build(tree: Any, indices: dict[str, Any]) -> Any:
    """The expression of a tree. indices: the symbols bound by sums and integrals around it."""
    if isinstance(tree, str):
        top, _, bottom = tree.partition("/")
        return sympy.Rational(int(top), int(bottom or 1))
    if isinstance(tree, dict):
        name = tree["s"]
        if name in indices:
            return indices[name]
        return _CONSTANTS.get(name) or sympy.Symbol(name, real=True)
    head, *args = tree
    if head in ("sum", "prod", "int", "lim"):
        return _calculus(head, args, indices)
    values = [build(x, indices) for x in args]
    if head == "add":
        return sympy.Add(*values)
    if head == "mul":
        return sympy.Mul(*values)
    if head == "pow":
        return sympy.Pow(*values)
    if head == "abs":
        return sympy.Abs(*values)
    if head == "factorial":
        return sympy.factorial(*values)
    if head == "factorial2":
        return sympy.factorial2(*values)
    if head == "deg":
        return values[0] * sympy.pi / 180
    if head == "percent":
        return values[0] / 100
    if head == "ratio" and len(values) == 2:
        return values[0] / values[1]
    name = head.removeprefix("fn:")
    if name in ("ln", "log", "lg"):
        base = values[1] if len(values) == 2 else sympy.E if name == "ln" else sympy.Integer(10)
        return sympy.log(values[0]) / sympy.log(base)
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*values)
    if head.startswith("fn:") and len(name) <= 2:
        return sympy.Function(name)(*values)
    raise Unknown(head)


def _calculus(head: str, args: list[Any], indices: dict[str, Any]) -> Any:
    body, variable, *ends = args
    if not isinstance(variable, dict):
        raise Unknown("index")
    name = variable["s"]
    symbol = (
        sympy.Symbol(name, integer=True)
        if head in ("sum", "prod")
        else sympy.Symbol(name, real=True)
    )
    inner = build(body, indices | {name: symbol})
    limits = [build(e, indices) for e in ends]
    if head == "sum":
        return sympy.Sum(inner, (symbol, *limits))
    if head == "prod":
        return sympy.Product(inner, (symbol, *limits))
    if head == "int":
        return sympy.Integral(inner, (symbol, *limits))
    return sympy.Limit(inner, symbol, limits[0], "+-" if limits[0].is_finite else "-")


def decide(a: Any, b: Any) -> tuple[bool | None, str]:
    """Whether two expressions are equal, and by which means that is known."""
    constant = not (a.free_symbols or b.free_symbols)
    # Numeric values of integrals are cheap and rule most of them out; those of infinite sums are dear.
    if constant and (a - b).has(sympy.Integral) and _apart(a, b, ROUGH_DIGITS):
        return False, "numeric"
    done = a.doit() - b.doit()
    if done == 0 or sympy.simplify(done) == 0:
        return True, "symbolic"
    if done.free_symbols:
        return _by_points(done)
    apart = _apart(a.doit(), b.doit(), DIGITS)
    return (None, "error") if apart is None else (not apart, "numeric")


def _apart(a: Any, b: Any, digits: int) -> bool | None:
    """Whether two constants differ within so many digits; None where one has no value."""
    x, y = _value(a, digits + 10), _value(b, digits + 10)
    if x is None or y is None:
        return None
    return bool(abs(x - y) > sympy.Float(10, digits) ** -digits * sympy.Max(1, abs(y)))


def _value(expression: Any, digits: int) -> Any:
    with contextlib.suppress(
        ValueError, TypeError, ArithmeticError, NotImplementedError, AttributeError
    ):
        value = expression.evalf(digits)
        if (
            value.is_number
            and value.is_finite
            and not value.has(sympy.Integral, sympy.Sum, sympy.Limit, sympy.Product)
        ):
            return value
    return None


def _decimal(tree: Any) -> str | None:
    """The real value of an expression as a decimal, None where there is none."""
    expression = build(tree, {})
    value = _value(expression, VALUE_DIGITS) if expression.has(sympy.Integral) else None
    if value is None:
        value = _value(expression.doit(), VALUE_DIGITS)
    return str(value) if value is not None and value.is_real else None


def _by_points(difference: Any) -> tuple[bool | None, str]:
    symbols = sorted(difference.free_symbols, key=str)
    if any(len(i.limits[0]) == 1 for i in difference.atoms(sympy.Integral)):
        return None, "error"  # an indefinite integral has no value at a point
    seen = 0
    for n in range(4):
        point = {s: sympy.Rational(7 * n + 3 * i + 4, 5 + 2 * i) for i, s in enumerate(symbols)}
        value = _value(difference.subs(point), DIGITS + 20)
        if value is None:
            continue
        if abs(value) > sympy.Float(10, DIGITS) ** -DIGITS:
            return False, "numeric"
        seen += 1
    return (True, "numeric") if seen >= 3 else (None, "error")


def _limit_processor_time(seconds: float) -> None:
    """Lets the system end this process after so many seconds of work."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory(size: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(line: str) -> str:
    try:
        question = json.loads(line)
        if "value" in question:
            return json.dumps(
                {"verdict": None, "method": "numeric", "value": _decimal(question["value"])}
            )
        verdict, method = decide(build(question["a"], {}), build(question["b"], {}))
    except Exception:  # whatever the algebra system could not do stays undecided
        verdict, method = None, "error"
    return json.dumps({"verdict": verdict, "method": method})


def _answer_in_child(line: str, seconds: float) -> None:
    """Answers from a forked child, so that every question meets the same fresh state, and its death costs nothing."""
    child = os.fork()
    if child == 0:
        _limit_processor_time(seconds)
        try:
            os.write(1, (_answer(line) + "\n").encode())
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(json.dumps({"verdict": None, "method": "timeout"}), flush=True)


def _warm_up() -> None:
    """Has the algebra system load its parts and fill its caches outside of anyone's time limit."""
    x, n = sympy.Symbol("x", real=True), sympy.Symbol("n", integer=True)
    for expression in (
        sympy.Sum(1 / n**2, (n, 1, sympy.oo)),
        sympy.Limit(sympy.sin(x) / x, x, 0, "+-"),
        sympy.Integral(x * sympy.exp(x), (x, 0, 1)) - x,
    ):
        sympy.simplify(expression.doit())


def main() -> None:
    seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    _limit_memory(memory)
    sys.setrecursionlimit(2_000)
    _warm_up()
    print("ready", flush=True)
    for line in sys.stdin:
        if hasattr(os, "fork"):
            _answer_in_child(line, seconds)
        else:
            print(_answer(line), flush=True)


if __name__ == "__main__":
    main()
