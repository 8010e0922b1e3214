"""What rules of complex operations are written in: real values with operators, rows by name.

Comes in: how to apply a row, to nodes; goes out: `Algebra`, the `pt` of `complexes`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from .rows import Row


class Real:
    """The node of a real value in a rule; operators make further ones."""

    __slots__ = ("node", "pt")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, pt: Algebra, node: Any) -> None:
        self.pt = pt
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:
        return self.node.spec.shape  # type: ignore[no-any-return]

    def __neg__(self) -> Real:
        return self.pt.negative(self)

    def __abs__(self) -> Real:
        return self.pt.abs(self)

    def __invert__(self) -> Real:
        return self.pt.logical_not(self)


def _operator(name: str) -> tuple[Callable[..., Real], Callable[..., Real]]:
    def forward(self: Real, other: Any) -> Real:
        return getattr(self.pt, name)(self, other)  # type: ignore[no-any-return]

    def reflected(self: Real, other: Any) -> Real:
        return getattr(self.pt, name)(other, self)  # type: ignore[no-any-return]

    return forward, reflected


for _bare, _name in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "and": "logical_and",
    "or": "logical_or",
}.items():
    _forward, _reflected = _operator(_name)
    setattr(Real, f"__{_bare}__", _forward)
    setattr(Real, f"__r{_bare}__", _reflected)
for _bare, _name in {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}.items():
    setattr(Real, f"__{_bare}__", _operator(_name)[0])


class Parts(NamedTuple):
    """A complex operand or result; `im` is None for operands that are real."""

    re: Any
    im: Any


class Algebra:
    """The rows as functions of `Real`s and Python floats, by name; `arg` is the static argument."""

    def __init__(
        self,
        rows: dict[str, Row],
        apply: Callable[[Row, tuple[Any, ...], Hashable], Any],
        constant: Callable[[float], Any],
    ) -> None:
        self._rows = rows
        self._apply = apply
        self._constant = constant
        self.asked = False

    def __getattr__(self, name: str) -> Callable[..., Real]:
        row = self._rows.get(name)
        if row is None:
            raise AttributeError(name)

        def function(*operands: Any, arg: Hashable = None) -> Real:
            nodes = tuple(
                value.node if type(value) is Real else self._constant(value) for value in operands
            )
            return Real(self, self._apply(row, nodes, arg))

        setattr(self, name, function)
        return function

    def known_integer(self, operand: Parts) -> int | None:
        """The value of an operand that is a Python integer, not one of a tensor or traced.

        `asked` is noted: another call may have another value.
        """
        self.asked = True
        value = getattr(operand.re.node, "value", None) if operand.im is None else None
        return value if type(value) is int else None
