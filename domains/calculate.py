"""The benchmark's calculator with a bound: same answers, but neither code nor endless powers are run."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

ALLOWED = frozenset("0123456789+-*/(). ")
MAX_LENGTH = 1_000
MAX_BITS = 4_096
"""Larger intermediate integers are refused; a float overflows at 1,024 bits, so no answer is lost."""

Number = int | float

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


def calculate(expression: str) -> str:
    """Return the value rounded to two digits, as text. Raises ValueError, ArithmeticError or SyntaxError."""
    if not all(char in ALLOWED for char in expression):
        raise ValueError("Invalid characters in expression")
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"The expression is longer than {MAX_LENGTH} characters")
    return str(round(float(_value(ast.parse(expression.strip(), "<string>", "eval").body)), 2))


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return +_value(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right):
            return _bounded(_BINARY[type(op)](_value(left), _value(right)))
        case _:
            raise ValueError("Only numbers, + - * / ** // and parentheses can be calculated")


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        if base.bit_length() * exponent > 2 * MAX_BITS:
            raise ValueError("The result is too large")
        return _bounded(base**exponent)
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("The result is not a real number")
    return result


def _bounded(value: Number) -> Number:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError("The result is too large")
    return value
