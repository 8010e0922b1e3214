"""The backward pass: propagate cotangents from results to inputs, operation by operation.

Input: nodes of results with their cotangents. Output: cotangents of the input nodes, as pending
tensors. Gradient rules use tensor operations, so that gradients can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ... import functions as F
from ...errors import GradientError, NumericError
from ...ir.node import AGE, OpInstance, OpNode, TensorSpec, own_tapes
from ...ops.op_def import Elementwise
from ...ops.rule_types import GradientRule
from ...tensor import Tensor, handle_on
from .remat_clones import RematClones
from .tape import Tape, recording


class CustomVJP(NamedTuple):
    """A custom gradient: `pull` maps cotangents of `results` to cotangents of `inputs`."""

    results: tuple[OpNode, ...]
    inputs: tuple[OpNode, ...]
    pull: Callable[[list[Tensor]], Iterable[Tensor | None]]

    def record(self) -> None:
        """Record the custom gradient on the tapes of the running differentiations."""
        for tape in own_tapes():
            tape.custom |= dict.fromkeys(map(id, self.results), self)


def pull_back(
    tape: Tape,
    results: Sequence[OpNode],
    cotangents: Sequence[Tensor | None],
    inputs: Sequence[OpNode],
    inner: Sequence[OpNode] = (),
) -> list[Tensor | None]:
    """Return the cotangent of each input; None if no result depends on it.

    Cotangents propagate no further than to inputs. Those of `inner` nodes, which also propagate
    through these, come after them.
    """
    with recording(tape):
        return _BackwardPass(tape, inputs, inner).run(results, cotangents)


class _BackwardPass:
    """One backward pass."""

    def __init__(self, tape: Tape, inputs: Sequence[OpNode], inner: Sequence[OpNode]) -> None:
        self.tape = tape
        self.inputs = inputs
        self.inner = {id(node): node for node in inner}
        self.cotangents: dict[int, Tensor] = {}
        """Cotangents accumulated so far, by the identity of their nodes."""
        self.depends = {id(node): True for node in inputs}
        """True for nodes that depend on an input, by identity."""
        self.clones = RematClones(tape)

    def run(
        self, results: Sequence[OpNode], cotangents: Sequence[Tensor | None]
    ) -> list[Tensor | None]:
        order = self._by_age(results)
        for node, cotangent in zip(results, cotangents, strict=True):
            if cotangent is not None and self.depends[id(node)]:
                self._add(node, cotangent)
        ends = set(map(id, self.inputs))
        for node in reversed(order):
            if id(node) in ends or not self.depends[id(node)]:
                continue
            custom = self.tape.custom.get(id(node))
            if custom is not None:
                # The first result is the oldest, so all results have their full cotangents by now.
                if node is custom.results[0]:
                    self._apply_custom(custom)
            elif id(node) in self.cotangents:
                cotangent = self.cotangents[id(node)]
                if id(node) not in self.inner:
                    del self.cotangents[id(node)]
                self._apply_rules(node, cotangent)
        return [self.cotangents.get(id(node)) for node in (*self.inputs, *self.inner.values())]

    def _by_age(self, results: Sequence[OpNode]) -> list[OpNode]:
        """Return all nodes from the inputs to the results, oldest first."""
        order: list[OpNode] = []
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
                dependences = (self.depends[id(src)] for src in self._sources(node))
                self.depends[id(node)] = id(node) in self.inner or any(dependences)
        return order

    def _sources(self, node: OpNode) -> tuple[OpNode, ...]:
        """Return the nodes to which cotangents of `node` can propagate."""
        custom = self.tape.custom.get(id(node))
        if custom is not None:
            # The first result is the oldest, and its visit handles the cotangents of all results.
            first: tuple[OpNode, ...] = custom.results[:1]
            return custom.inputs if node is first[0] else first
        origin = self.tape.origin(node)
        if origin is None or node.spec.dtype.kind not in "cf":
            return ()
        rules = origin[0].op.gradient
        return tuple(
            src
            for at, src in enumerate(origin[1])
            if src.spec.dtype.kind in "cf" and not (type(rules) is tuple and rules[at] is None)
        )

    def _apply_rules(self, node: OpNode, g: Tensor) -> None:
        """Apply an operation's gradient rules and accumulate its operands' cotangents."""
        origin = self.tape.origin(node)
        assert origin is not None
        call, srcs = origin
        arg = () if isinstance(call.op, Elementwise) else (call.arg,)
        try:
            values = [handle_on(self.clones.node(value, node, g._node)) for value in (node, *srcs)]
            operands = [
                F.astype(value, dtype) if value.dtype is not dtype else value
                for value, dtype in zip(values[1:], call.operands, strict=True)
            ]
            for at, src in enumerate(srcs):
                rule = _rule(call, at) if self.depends.get(id(src), False) else None
                if rule is None:
                    continue
                position = () if type(call.op.gradient) is tuple else (at,)
                part = rule(F, g, values[0], *operands, *position, *arg)
                if part is not None:
                    self._add(src, fitted(part, src.spec))
        except NumericError as error:
            raise NumericError(f"gradient of {call.op.name}: {error}") from None

    def _apply_custom(self, custom: CustomVJP) -> None:
        cotangents = [self.cotangents.pop(id(node), None) for node in custom.results]
        if all(g is None for g in cotangents):
            return
        filled = [
            F.zeros(node.spec.shape, dtype=node.spec.dtype) if g is None else g
            for node, g in zip(custom.results, cotangents, strict=True)
        ]
        for node, part in zip(custom.inputs, custom.pull(filled), strict=True):
            if part is not None and self.depends[id(node)]:
                self._add(node, fitted(part, node.spec))

    def _add(self, node: OpNode, part: Tensor) -> None:
        before = self.cotangents.get(id(node))
        self.cotangents[id(node)] = part if before is None else before + part


def _rule(call: OpInstance, at: int) -> GradientRule | None:
    """Return the gradient rule for an operand. Raises GradientError if the op has none."""
    rules = call.op.gradient
    if rules is None:
        raise GradientError(
            f"{call.op.name}: operation has no gradient; got {call}; block the gradient with "
            "pt.stop_gradient"
        )
    return rules[at] if isinstance(rules, tuple) else rules


def fitted(g: Tensor, spec: TensorSpec) -> Tensor:
    """Reduce a cotangent to an operand's shape and dtype: sum over its broadcast axes.

    For a real operand the imaginary part is dropped.
    """
    if g.dtype.kind == "c" and spec.dtype.kind != "c":
        g = F.real(g)
    if g.shape != spec.shape:
        leading = g.ndim - len(spec.shape)
        axes = [
            axis
            for axis, n in enumerate(g.shape)
            if axis < leading or (spec.shape[axis - leading] == 1 and n != 1)
        ]
        g = F.reshape(F.sum(g, axis=tuple(axes)), spec.shape)
    return g if g.dtype is spec.dtype else F.astype(g, spec.dtype)
