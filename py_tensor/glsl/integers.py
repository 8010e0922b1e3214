"""Quotients and remainders of positions, which are never negative.

Dividing is slow on GPUs and slower still where a processor draws; by powers of two, shifts do.
"""

from __future__ import annotations


def quotient(value: str, by: int) -> str:
    """GLSL for `value / by`, an int or ivec4, as an operand of anything."""
    if by == 1:
        return value if value.isidentifier() else f"({value})"
    return _operation(value, *(("/", by) if by & (by - 1) else (">>", by.bit_length() - 1)))


def remainder(value: str, by: int) -> str:
    """GLSL for `value % by`, an int or ivec4, as an operand of anything."""
    return _operation(value, *(("%", by) if by & (by - 1) else ("&", by - 1)))


def _operation(value: str, sign: str, by: int) -> str:
    return f"({value} {sign} {by})" if value.isidentifier() else f"(({value}) {sign} {by})"
