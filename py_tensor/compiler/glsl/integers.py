"""GLSL for quotients and remainders of positions, which are never negative.

Division is slow on GPUs and slower in software renderers, so powers of two use shifts.
"""

from __future__ import annotations


def quotient(value: str, by: int) -> str:
    """Return GLSL for `value / by`, an int or ivec4, with the parentheses that an operand needs."""
    if value == "0":
        return value
    if by == 1:
        return value if value.isidentifier() else f"({value})"
    return _operation(value, *(("/", by) if by & (by - 1) else (">>", by.bit_length() - 1)))


def remainder(value: str, by: int) -> str:
    """Return GLSL for `value % by`, an int or ivec4, with the parentheses that an operand needs."""
    if by == 1 or value == "0":
        return "0"
    return _operation(value, *(("%", by) if by & (by - 1) else ("&", by - 1)))


def _operation(value: str, sign: str, by: int) -> str:
    return f"({value} {sign} {by})" if value.isidentifier() else f"(({value}) {sign} {by})"
