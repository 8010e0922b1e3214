"""Changes to a program after it is loaded, for every format.

Input: a `ModelProgram`. Steps that depend on constants only are computed once, and constants that
nothing reads are dropped. The program itself stores constants as their readers need them, and its
calls leave out the steps that their outputs do not need. Its graph, which `save` writes, has the
computed constants instead of those that they were computed from.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ..errors import TensorError
from ..io.element_formats import CODES
from ..io.safetensors import Entry
from ..ir.node import own_tapes
from ..nn.split_matrix import SplitMatrix
from ..runtime.scopes import state
from ..tensor import Tensor, realize
from .execution import ModelProgram, ModelRun, ModelStep, ModelValue, step_reads
from .graph import ModelConstant, ModelGraph, reads
from .layouts import Permuted, arranged, as_tensor


def optimize(program: ModelProgram) -> None:
    """Compute steps of constants, prepare others, and drop constants that nothing reads."""
    if state.trace is None and not own_tapes():
        computed = _optimize(program, program.constants, program.constants)
        program.graph = _without(program, computed)
    read = program.reads
    program.constants = {name: value for name, value in program.constants.items() if name in read}


def _optimize(
    program: ModelProgram, known: dict[str, ModelValue], outermost: dict[str, ModelValue]
) -> dict[str, ModelValue]:
    """Change the steps of a program and of the graphs inside; return what was computed.

    `known` are the constants that its steps may read. New constants are added to the constants of
    the outermost program, or of this program if another value has the name.
    """
    left, computed = [], dict[str, ModelValue]()
    for step in program.steps:
        results = _constants(program, known, step)
        if results is not None:
            computed |= results
            _add(results, program, known, outermost)
            continue
        for body in step.bodies.values():
            own = {info.name for info in body.graph.inputs}
            own.update(name for inner in body.steps for name in inner.node.outputs)
            outer = {name: value for name, value in known.items() if name not in own}
            _optimize(body, {**outer, **body.constants}, outermost)
            read = body.reads
            body.constants = {name: value for name, value in body.constants.items() if name in read}
        if step.bodies:
            left.append(step._replace(reads=step_reads(step.node, step.bodies)))
        else:
            left.append(_simplified(program, known, outermost, step))
    program.steps = left
    return computed


def _add(
    values: dict[str, ModelValue],
    program: ModelProgram,
    known: dict[str, ModelValue],
    outermost: dict[str, ModelValue],
) -> None:
    """Add computed constants to what later steps may read."""
    known.update(values)
    for name, value in values.items():
        home = program.constants if name in outermost else outermost
        home[name] = value


def _without(program: ModelProgram, computed: dict[str, ModelValue]) -> ModelGraph:
    """Return the graph without the nodes of computed constants and the constants that they read."""
    graph = program.graph
    nodes = tuple(node for node in graph.nodes if computed.keys().isdisjoint(node.outputs))
    read = {info.name for info in graph.outputs}.union(*map(reads, nodes))
    constants = {name: value for name, value in graph.constants.items() if name in read}
    for name, value in computed.items():
        if name in read and isinstance(value, (Tensor, Permuted)):
            elements = Entry(CODES[value.dtype], value.shape, b"")
            made = ModelConstant(name, value.dtype, value.shape, elements)
            made.restored = partial(as_tensor, value)
            constants[name] = made
    return graph._replace(nodes=nodes, constants=constants)


def _constants(
    program: ModelProgram, known: dict[str, ModelValue], step: ModelStep
) -> dict[str, ModelValue] | None:
    """Return the results of a step by name, or None if it has to be run in each call."""
    names = [name for name in step.node.inputs if name]
    if not step.row.folds or step.bodies or any(name not in known for name in names):
        return None
    inputs = {name: known[name] for name in names}
    values = inputs.values()
    if all(isinstance(value, ModelConstant) for value in values) or _has_split(values):
        return None
    outputs = [name for name in step.node.outputs if name]
    try:
        # A result must not have more elements than the inputs.
        room = sum(value.size for value in inputs.values() if value is not None)
        results = ModelRun().run([step], {**inputs}, outputs)
        if any(value is None or value.size > room for value in results):
            return None
        computed = {
            name: _stored(program, name, value)
            for name, value in zip(outputs, results, strict=True)
            if value is not None
        }
        realize(
            *(
                result.tensor if isinstance(result, Permuted) else result
                for result in computed.values()
            )
        )
    except TensorError:
        # The call reports it.
        return None
    return {**computed}


def _has_split(values: Iterable[ModelValue]) -> bool:
    return any(isinstance(value, SplitMatrix) for value in values)


def _simplified(
    program: ModelProgram,
    known: dict[str, ModelValue],
    outermost: dict[str, ModelValue],
    step: ModelStep,
) -> ModelStep:
    """Return the step with constants that are computed once, for example of batch normalization."""
    if step.row.simplify is None:
        return step
    first, *names = step.node.inputs
    if any(name not in known for name in names) or _has_split(known[name] for name in names):
        return step
    try:
        simplified = step.row.simplify([known[name] for name in names], step.options)
        if simplified is None:
            return step
        realize(*(value for value in simplified.constants if isinstance(value, Tensor)))
    except TensorError:
        # The call reports it.
        return step
    # No name of a file has this form together with the node's outputs, which are unique.
    inputs = tuple(
        f"{step.node.outputs[0]} (constant {at})" for at in range(len(simplified.constants))
    )
    _add(dict(zip(inputs, simplified.constants, strict=True)), program, known, outermost)
    node = step.node._replace(inputs=(first, *inputs))
    return ModelStep(node, simplified.row, {}, {}, frozenset(), {}, frozenset(node.inputs))


def _stored(program: ModelProgram, name: str, value: ModelValue) -> Tensor | Permuted:
    """Return a computed constant with its axes in the order in which it is read."""
    assert isinstance(value, (Tensor, Permuted))
    order = program.order_of(name, len(value.shape)) or tuple(range(len(value.shape)))
    tensor = arranged(value, order)
    return tensor if list(order) == sorted(order) else Permuted(tensor, order, True)
