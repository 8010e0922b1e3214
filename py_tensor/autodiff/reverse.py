"""The backward pass: cotangents of results become cotangents of inputs, operation by operation.

Comes in: nodes of results with their cotangents; goes out: the cotangents of the inputs' nodes, as
pending tensors. Rules compute with tensors, so that what they give can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import NamedTuple

from ..errors import GradientError, NumericError
from ..functions import PUBLIC
from ..nodes import AGE, Call, Node, Spec, Tape, tapes
from ..ops.rows import Elementwise, Rule
from ..tensor import Tensor, apply, handle_on
from .regions import Clones

PT = SimpleNamespace(**PUBLIC, apply=apply)
"""What rules compute with."""


class Custom(NamedTuple):
    """Results whose cotangents go to `inputs` by `pull`, whatever they were made of."""

    results: tuple[Node, ...]
    inputs: tuple[Node, ...]
    pull: Callable[[list[Tensor]], Iterable[Tensor | None]]


@contextmanager
def recording(tape: Tape) -> Iterator[None]:
    """Nodes that get values meanwhile do not forget what they were made of."""
    tapes.append(tape)
    try:
        yield
    finally:
        tapes.remove(tape)


def pull_back(
    tape: Tape,
    results: Sequence[Node],
    cotangents: Sequence[Tensor | None],
    inputs: Sequence[Node],
) -> list[Tensor | None]:
    """The cotangent of each input, None where no result depends on it."""
    with recording(tape):
        return _Pass(tape, inputs).run(results, cotangents)


class _Pass:
    """One backward pass."""

    def __init__(self, tape: Tape, inputs: Sequence[Node]) -> None:
        self.tape = tape
        self.inputs = inputs
        self.found: dict[int, Tensor] = {}
        """Cotangents so far, by the identity of their nodes."""
        self.depends = {id(node): True for node in inputs}
        """Whether a node depends on an input, by its identity."""
        self.clones = Clones(tape)

    def run(
        self, results: Sequence[Node], cotangents: Sequence[Tensor | None]
    ) -> list[Tensor | None]:
        order = self._ordered(results)
        for node, cotangent in zip(results, cotangents, strict=True):
            if cotangent is not None and self.depends[id(node)]:
                self._add(node, cotangent)
        ends = set(map(id, self.inputs))
        for node in reversed(order):
            if id(node) in ends or not self.depends[id(node)]:
                continue
            custom = self.tape.custom.get(id(node))
            if custom is not None:
                # Behind the first of its results nothing is left that adds to the others.
                if node is custom.results[0]:
                    self._through_custom(custom)
            elif id(node) in self.found:
                self._through(node, self.found.pop(id(node)))
        return [self.found.get(id(node)) for node in self.inputs]

    def _ordered(self, results: Sequence[Node]) -> list[Node]:
        """All nodes behind the results, up to the inputs, in the order in which they were made."""
        order: list[Node] = []
        seen: set[int] = set()
        stack = [*results]
        while stack:
            node = stack.pop()
            if id(node) not in seen:
                seen.add(id(node))
                order.append(node)
                stack += () if id(node) in self.depends else self._sources(node)
        order.sort(key=AGE)
        for node in order:
            if id(node) not in self.depends:
                found = (self.depends[id(src)] for src in self._sources(node))
                self.depends[id(node)] = any(found)
        return order

    def _sources(self, node: Node) -> tuple[Node, ...]:
        """The nodes that cotangents of `node` can go on to."""
        custom = self.tape.custom.get(id(node))
        if custom is not None:
            # The first result was made first, and takes the cotangents of all.
            first: tuple[Node, ...] = custom.results[:1]
            return custom.inputs if node is first[0] else first
        origin = self.tape.origin(node)
        if origin is None or node.spec.dtype.kind not in "cf":
            return ()
        rules = origin[0].row.gradient
        return tuple(
            src
            for at, src in enumerate(origin[1])
            if src.spec.dtype.kind in "cf" and not (type(rules) is tuple and rules[at] is None)
        )

    def _through(self, node: Node, g: Tensor) -> None:
        """Adds what an operation's operands get of its cotangent."""
        origin = self.tape.origin(node)
        assert origin is not None
        call, srcs = origin
        arg = () if isinstance(call.row, Elementwise) else (call.arg,)
        try:
            values = [handle_on(self.clones.node(value, node, g._node)) for value in (node, *srcs)]
            operands = [
                PT.astype(value, dtype) if value.dtype is not dtype else value
                for value, dtype in zip(values[1:], call.operands, strict=True)
            ]
            for at, src in enumerate(srcs):
                rule = _rule(call, at) if self.depends.get(id(src), False) else None
                if rule is None:
                    continue
                position = () if type(call.row.gradient) is tuple else (at,)
                part = rule(PT, g, values[0], *operands, *position, *arg)
                if part is not None:
                    self._add(src, fitted(part, src.spec))
        except NumericError as error:
            raise NumericError(f"gradient of {call.row.name}: {error}") from None

    def _through_custom(self, custom: Custom) -> None:
        given = [self.found.pop(id(node), None) for node in custom.results]
        if all(g is None for g in given):
            return
        filled = [
            PT.zeros(node.spec.shape, dtype=node.spec.dtype) if g is None else g
            for node, g in zip(custom.results, given, strict=True)
        ]
        for node, part in zip(custom.inputs, custom.pull(filled), strict=True):
            if part is not None and self.depends[id(node)]:
                self._add(node, fitted(part, node.spec))

    def _add(self, node: Node, part: Tensor) -> None:
        before = self.found.get(id(node))
        self.found[id(node)] = part if before is None else before + part


def _rule(call: Call, at: int) -> Rule | None:
    """The gradient rule for an operand. Raises GradientError for rows without any."""
    rules = call.row.gradient
    if rules is None:
        raise GradientError(
            f"{call.row.name}: operation has no gradient; got {call}; "
            "keep the gradient from it with pt.stop_gradient"
        )
    return rules[at] if isinstance(rules, tuple) else rules


def fitted(g: Tensor, spec: Spec) -> Tensor:
    """A cotangent in an operand's shape and dtype: summed where the operand was broadcast.

    What an imaginary part of a real operand would get, nobody asks for.
    """
    if g.dtype.kind == "c" and spec.dtype.kind != "c":
        g = PT.real(g)
    if g.shape != spec.shape:
        leading = g.ndim - len(spec.shape)
        axes = [
            axis
            for axis, n in enumerate(g.shape)
            if axis < leading or (spec.shape[axis - leading] == 1 and n != 1)
        ]
        g = PT.reshape(PT.sum(g, axis=tuple(axes)), spec.shape)
    return g if g.dtype is spec.dtype else PT.astype(g, spec.dtype)
