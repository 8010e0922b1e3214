"""Run a graph with a format's table of operators.

Input: a graph and a table. Output: a `ModelProgram`, which maps input values to output values.
Values are tensors, or constants as long as no operator needs a tensor: shapes, and what graphs
compute from them, stay Python numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, NamedTuple

from ..dtypes import DType, float32
from ..errors import ModelError, SizeError, TraceError
from ..io.safetensors import Entry
from ..ir.node import own_tapes
from ..nn.split_matrix import SplitMatrix
from ..runtime.scopes import state
from ..signatures import Parameters, parameters_of
from ..tensor import Tensor
from .graph import TEXT, HashTable, ModelConstant, ModelGraph, ModelNode, ValueList
from .layouts import Layout, Order, Permuted, as_tensor, plain, stored

HOST_ELEMENTS = 1024
"""Maximum number of elements of a value that is computed as Python numbers."""
EMPTY: Mapping[str, Any] = {}
FOLDED = ("int32", "bool", "float32")
"""Dtypes of such values."""
TEXTS = 1 << 20
"""Maximum number of texts of a value."""
MAX_ELEMENTS = 1 << 28
"""Maximum number of elements of a result: 1 GiB of float32."""
MAX_NODES = 50_000
"""Maximum number of nodes that one call runs in further iterations of loops."""
MAX_TRACED_NODES = 20_000
"""Maximum number of nodes of a compiled call, in which loops are unrolled; longer ones run without
compiling."""


def fits(count: int, dtype: DType) -> bool:
    """Return True if so many elements are computed as Python numbers, or as texts."""
    if dtype is TEXT:
        return count <= TEXTS
    return count <= HOST_ELEMENTS and dtype.name in FOLDED


def small(x: Any) -> bool:
    """Return True if a value is a constant that operators compute as Python numbers."""
    return isinstance(x, ModelConstant) and fits(x.size, x.dtype)


def is_text(x: Any) -> bool:
    """Return True if a value is texts."""
    return isinstance(x, ModelConstant) and x.dtype is TEXT


ModelValue = Tensor | ModelConstant | Permuted | SplitMatrix | ValueList | HashTable | None
"""Value while a graph runs; None for an omitted one."""


type OrderOf = Callable[[Mapping[str, Any], int], Order | None]


class Operator(NamedTuple):
    """One operator of a format: a row of its table."""

    function: Callable[..., Any]
    """Takes the inputs by position, or None for an omitted one, and the attributes by keyword.

    Returns a tensor, or a tuple in the order of the operator's outputs. Two keywords are passed to
    functions that have them: `opset`, the version of the operator set, and `results`, the number of
    outputs.
    """
    host: tuple[str, ...] = ()
    """Parameters that take numbers or nested lists instead of tensors, for example a shape."""
    fold: Callable[..., Any] | None = None
    """The same function for constants. It returns a constant, a list of them, or None if it does
    not support this case."""
    wrapper: Callable[..., Any] | None = None
    """Called instead of the function, with it and its arguments, if a node has attributes that only
    the wrapper's keyword parameters accept."""
    raw: bool = False
    """True if inputs and results may be constants. Attributes that are graphs become functions."""
    runs_once: bool = False
    """True if a raw function runs one of its graphs once, and returns the results of that."""
    layout: Layout | None = None
    """Runs the function on values whose axes are stored in another order."""
    orders: Mapping[str, OrderOf] = EMPTY
    """For parameters that are weights: the order of axes in which the function reads a constant.

    The functions take the attributes of a node and the number of axes.
    """
    simplify: Callable[[Sequence[Any], Mapping[str, Any]], Simplified | None] | None = None
    """Prepares the row for inputs that are constants, all but the first one."""
    folds: bool = False
    """True if the operator computes no more elements than its inputs have, and always the same."""
    ignored: frozenset[str] = frozenset()
    """Attributes that do not change results."""
    accepts: Mapping[str, Collection[Any]] = EMPTY
    """Values of attributes that are supported, if these are not all."""
    omits: bool = False
    """True if inputs without a default may be omitted."""
    texts: bool = False
    """True if inputs or results may be texts; then `fold` or a raw function computes them."""
    split: tuple[str, ...] = ()
    """Parameters that may be a `SplitMatrix`, which has the matrices of a first axis as rows."""
    options: type[NamedTuple] | None = None
    """Attributes that several functions have, as fields; they are the parameter `options`."""


class Simplified(NamedTuple):
    """A row with other constants, which gives the same results up to rounding."""

    row: Operator
    constants: tuple[ModelConstant | Tensor, ...]
    """Further inputs of the row."""


class ModelStep(NamedTuple):
    """A node with its row and checked attributes."""

    node: ModelNode
    row: Operator
    options: dict[str, Any]
    wrapped: dict[str, Any]
    """Attributes that only the row's wrapper accepts."""
    hosted: frozenset[int]
    """Positions of the inputs that are passed as numbers."""
    bodies: dict[str, ModelProgram]
    """Attributes that are graphs."""
    reads: frozenset[str]
    """Names of the values that the node and its graphs need."""
    split: frozenset[int] = frozenset()
    """Positions of the inputs that may be split matrices."""


class ModelProgram:
    """A checked graph that can run.

    Raises ModelError if the table lacks operators or options that the graph uses; the error names
    all of them.
    """

    def __init__(
        self,
        graph: ModelGraph,
        table: Mapping[str, Operator],
        outer: frozenset[str] = frozenset(),
        outer_missing: dict[str, list[str]] | None = None,
    ) -> None:
        """Check a graph; `outer` are the names of values around a graph inside of another one.

        What such a graph lacks is added to `outer_missing`, for one error.
        """
        self.graph = graph
        missing = {} if outer_missing is None else outer_missing
        self.constants: dict[str, ModelValue] = {}
        self._orders = _orders(graph, table)
        for name, constant in graph.constants.items():
            order = self.order_of(name, len(constant.shape))
            if order is not None and isinstance(constant.elements, Entry) and constant.size:
                with suppress(SizeError):
                    self.constants[name] = value = stored(constant, order)
                    constant.release()
                    constant.restored = partial(as_tensor, value)
                    continue
            if constant.size > HOST_ELEMENTS and constant.dtype is not TEXT:
                may_split = len(constant.shape) == 2 or self._may_split(name, table)
                self.constants[name] = constant.stored(may_split)
                continue
            self.constants[name] = constant
            # Made here, a tensor does not belong to a trace. An integer that does not fit is an
            # error only if an operator needs a tensor of it.
            with suppress(ModelError, TypeError):
                constant.tensor()
        known = {*self.constants, *graph.states, *(info.name for info in graph.inputs)}
        self.steps: list[ModelStep] = []
        for node in graph.nodes:
            for name in node.inputs:
                if name and name not in known and name not in outer:
                    raise ModelError(
                        f'load: node reads a value that no earlier node computes; got "{name}" in '
                        f"{shown(node)}; save the model again"
                    )
            bodies = {
                name: ModelProgram(body, table, outer | known, missing)
                for name, body in node.attributes.items()
                if isinstance(body, ModelGraph)
            }
            row = table.get(node.operator)
            if row is None:
                missing.setdefault(f"operator {node.operator}", []).append(node.name)
            else:
                self.steps.append(_step(node, row, bodies, missing))
            known.update(filter(None, node.outputs))
        for info in graph.outputs:
            if info.name not in known and info.name not in outer:
                raise ModelError(
                    f'load: no node computes an output; got "{info.name}" of {graph.name!r}; save '
                    "the model again"
                )

        if missing and outer_missing is None:
            used = "; ".join(f"{what} in {some_of(nodes)}" for what, nodes in missing.items())
            raise ModelError(
                f"load: model needs what is not supported; got {used}; export the model without "
                "them"
            )

    def trainable(self) -> dict[str, Tensor | Permuted]:
        """Return the floating constants that only operators on tensors read.

        Others may decide shapes, so they stay constants.
        """
        hosted = self.hosted()
        return {
            name: value.tensor() if isinstance(value, ModelConstant) else value
            for name, value in self.constants.items()
            if name not in hosted
            and isinstance(value, (Tensor, ModelConstant, Permuted))
            and value.dtype.kind == "f"
            and value.size
        }

    def hosted(self, results: Iterable[str] = ()) -> set[str]:
        """Return the names of values that may be read as numbers, for example for shapes.

        `results` are the outputs that may be.
        """
        hosted = set(results)
        for step in reversed(self.steps):
            inputs, body_inputs = step.node.inputs, set[str]()
            read = not hosted.isdisjoint(step.node.outputs)
            for body in step.bodies.values():
                outputs = [info.name for info in body.graph.outputs]
                inner = body.hosted(outputs if read or not step.row.runs_once else ())
                body_inputs.update(info.name for info in body.graph.inputs)
                hosted |= inner
            if (
                (step.row.fold is not None and read)
                or (step.row.raw and not step.row.runs_once)
                or not hosted.isdisjoint(body_inputs)
            ):
                hosted.update(inputs)
            hosted.update(inputs[at] for at in step.hosted if at < len(inputs))
        return hosted

    @cached_property
    def size(self) -> int:
        """Number of nodes, including the nodes of inner graphs."""
        inner = (body.size for step in self.steps for body in step.bodies.values())
        return len(self.steps) + sum(inner)

    @property
    def reads(self) -> frozenset[str]:
        """Names of values of outer graphs that this graph needs; may contain its own names."""
        results = (info.name for info in self.graph.outputs)
        return frozenset(results).union(*(step.reads for step in self.steps))

    def order_of(self, name: str, rank: int) -> Order | None:
        """Return the order in which all readers of a constant read its axes, if there is one."""
        wanted = {
            None if order is None else order(node.attributes, rank)
            for order, node in self._orders.get(name, ())
        }
        return wanted.pop() if len(wanted) == 1 else None

    def _may_split(self, name: str, table: Mapping[str, Operator]) -> bool:
        """Return True if all readers of a constant take it as a split matrix."""
        return all(
            at in _positions(row, row.split)
            for _, node in self._orders.get(name, ())
            if (row := table.get(node.operator)) is not None
            for at, own in enumerate(node.inputs)
            if own == name
        )

    def run(
        self,
        inputs: Mapping[str, Any],
        outputs: Sequence[str],
        note: Callable[[str, ModelValue], None] | None = None,
    ) -> list[ModelValue]:
        """Return the values of these names for input values by name.

        An input that is a list of tensors may be a Python list.
        `note` is called with the name and value of each result of the graph's own nodes. Raises
        ModelError, which names the node, if an operator does not support its inputs.
        """
        values = self.given_values(inputs)
        for step, results in self.step_by_step(values, outputs):
            if note is not None:
                for name, result in zip(step.node.outputs, results, strict=False):
                    if name:
                        note(name, result)
        return [values[name] for name in outputs]

    def step_by_step(
        self, values: dict[str, ModelValue], outputs: Sequence[str]
    ) -> Iterator[tuple[ModelStep, Sequence[ModelValue]]]:
        """Run the steps that outputs need on values by name, and yield each with its results."""
        return ModelRun(self.size).steps(self._needed(frozenset(outputs)), values, outputs)

    def given_values(self, inputs: Mapping[str, Any]) -> dict[str, ModelValue]:
        """Return the values that are known before the first step, by name."""
        lists = {
            info.name: ValueList(tuple(inputs[info.name]), info.dtype or float32, None)
            for info in self.graph.inputs
            if isinstance(inputs.get(info.name), list)
        }
        return {**dict.fromkeys(self.graph.states), **self.constants, **inputs, **lists}

    def _needed(self, outputs: frozenset[str]) -> list[ModelStep]:
        """Return the steps that these outputs need."""
        wanted, needed = set(outputs), []
        for step in reversed(self.steps):
            if not wanted.isdisjoint(step.node.outputs):
                needed.append(step)
                wanted |= step.reads
        return needed[::-1]


def _step(
    node: ModelNode, row: Operator, bodies: dict[str, ModelProgram], missing: dict[str, list[str]]
) -> ModelStep:
    parameters = operator_parameters(row)
    assert parameters is not None
    outside = None if row.wrapper is None else parameters_of(row.wrapper)
    wrapped = {}
    fields = row.options._fields if row.options is not None else ()
    for name, value in node.attributes.items():
        if value not in row.accepts.get(name, (value,)):
            option = f"attribute {name} = {value!r:.40} of {node.operator}"
            missing.setdefault(option, []).append(node.name)
        if parameters.accepts_keyword(name) or name in row.ignored or name in fields:
            continue
        if outside is not None and name in outside.keyword_only:
            wrapped[name] = value
        else:
            missing.setdefault(f"attribute {name} of {node.operator}", []).append(node.name)
    count = len(node.inputs)
    if count > len(parameters.positional) and not parameters.has_varargs:
        missing.setdefault(f"{count} inputs of {node.operator}", []).append(node.name)
    known = {
        *node.attributes,
        *("opset", "results", "options"),
        *(
            name
            for name, value in zip(parameters.positional, node.inputs, strict=False)
            if value or row.omits
        ),
    }
    needed = parameters.required | {*fields} - {*getattr(row.options, "_field_defaults", ())}
    if absent := sorted(needed - known):
        raise ModelError(
            f"load: node lacks inputs or attributes; got {', '.join(absent)} missing in "
            f"{shown(node)}; save the model again"
        )
    options = {
        name: value
        for name, value in node.attributes.items()
        if name not in bodies and name not in wrapped and name not in row.ignored
    }
    if row.options is not None:
        shared = {name: options.pop(name) for name in fields if name in options}
        collected: Callable[..., Any] = row.options
        options["options"] = collected(**shared)
    implicit = {"opset": node.version, "results": len(node.outputs)}
    options |= {name: implicit[name] for name in implicit if name in parameters.keyword_only}
    hosted, split = _positions(row, row.host), _positions(row, row.split)
    return ModelStep(node, row, options, wrapped, hosted, bodies, step_reads(node, bodies), split)


def _positions(row: Operator, names: Collection[str]) -> frozenset[int]:
    """Return the positions of parameters of a row's function."""
    parameters = operator_parameters(row) if names else None
    positional = () if parameters is None else parameters.positional
    return frozenset(at for at, name in enumerate(positional) if name in names)


def operator_parameters(row: Operator) -> Parameters | None:
    """Return the parameters of a row's function, without those that NumPy adds to functions."""
    parameters = parameters_of(row.function)
    if parameters is None or "out" not in parameters.positional:
        return parameters
    count = parameters.positional.index("out")
    return parameters._replace(positional=parameters.positional[:count])


def step_reads(node: ModelNode, bodies: Mapping[str, ModelProgram]) -> frozenset[str]:
    """Return the names of the values that a node and its graphs need."""
    return frozenset(filter(None, node.inputs)).union(*(body.reads for body in bodies.values()))


def _orders(
    graph: ModelGraph, table: Mapping[str, Operator]
) -> dict[str, list[tuple[OrderOf | None, ModelNode]]]:
    """Return for each value what its readers say about the order in which they read a constant."""
    orders_of_values: dict[str, list[tuple[OrderOf | None, ModelNode]]] = {}
    for node in graph.nodes:
        row = table.get(node.operator)
        orders = row.orders if row is not None else {}
        parameters = operator_parameters(row) if row is not None and orders else None
        names = () if parameters is None else parameters.positional
        for at, name in enumerate(node.inputs):
            wanted = orders.get(names[at]) if at < len(names) else None
            orders_of_values.setdefault(name, []).append((wanted, node))
        for body in node.attributes.values():
            if isinstance(body, ModelGraph):
                own = {*body.constants, *(info.name for info in body.inputs)}
                own.update(name for inner in body.nodes for name in inner.outputs)
                for name, readers in _orders(body, table).items():
                    if name not in own:
                        orders_of_values.setdefault(name, []).extend(readers)
    return orders_of_values


class ModelRun:
    """One call of a program."""

    def __init__(self, size: int = 0) -> None:
        """Start a call of a program of `size` nodes, which run once if there are no loops."""
        self._nodes, self._most = 0, MAX_NODES + size
        self._traced = state.trace is not None or bool(own_tapes())

    def run(
        self, steps: list[ModelStep], values: dict[str, ModelValue], outputs: Sequence[str]
    ) -> list[ModelValue]:
        """Run steps on values by name, which they change, and return the values of outputs."""
        for _ in self.steps(steps, values, outputs):
            pass
        return [values[name] for name in outputs]

    def steps(
        self, steps: list[ModelStep], values: dict[str, ModelValue], outputs: Sequence[str]
    ) -> Iterator[tuple[ModelStep, Sequence[ModelValue]]]:
        """Run steps on values by name, which they change, and yield each with its results."""
        left = Counter(name for step in steps for name in step.reads)
        left.update(outputs)
        for step in steps:
            self._count(step.node)
            results = self._results(step, values)
            for name, result in zip(step.node.outputs, results, strict=False):
                if left[name]:
                    values[name] = result
            yield step, results
            for name in step.reads:
                left[name] -= 1
                if not left[name]:
                    values.pop(name, None)

    def _count(self, node: ModelNode) -> None:
        self._nodes += 1
        if self._traced and self._nodes > MAX_TRACED_NODES:
            raise TraceError(
                f"run: too many nodes to be compiled; got {shown(node)} as node number "
                f"{self._nodes:,}; call the model outside of pt.jit"
            )
        if self._nodes > self._most:
            raise ModelError(
                f"run: loops do not end; got {shown(node)} as node number {self._nodes:,}; use "
                "inputs that need fewer iterations"
            )

    def _results(self, step: ModelStep, values: dict[str, ModelValue]) -> Sequence[ModelValue]:
        node, row = step.node, step.row
        inputs = [values[name] if name else None for name in node.inputs]
        try:
            results = self._folded(step, inputs)
            if results is None:
                arguments = [
                    as_numbers(value) if at in step.hosted and value is not None else value
                    for at, value in enumerate(inputs)
                ]
                if not row.raw:
                    arguments = [
                        as_tensor(value)
                        if isinstance(value, SplitMatrix) and at not in step.split
                        else value
                        for at, value in enumerate(arguments)
                    ]
                is_split = any(isinstance(value, SplitMatrix) for value in arguments)
                if row.layout is not None and not is_split:
                    results = row.layout(row.function, arguments, step.options)
            if results is None:
                if not row.raw:
                    arguments = list(map(plain, arguments))
                bodies = {
                    name: GraphFunction(self, body, values) for name, body in step.bodies.items()
                }
                function = partial(row.function, **step.options, **bodies)
                if step.wrapped and row.wrapper is not None:
                    results = row.wrapper(function, arguments, **step.wrapped)
                else:
                    results = function(*arguments)
        except (TraceError, ModelError):
            raise
        except Exception as error:
            described = ", ".join(map(_described, inputs))
            raise ModelError(
                f"run: operator failed; got {shown(node)} with {described or 'no inputs'}: "
                f"{type(error).__name__}: {error}; check the shapes and dtypes of the inputs"
            ) from error
        listed: Sequence[ModelValue] = results if isinstance(results, (tuple, list)) else (results,)
        for result in listed:
            if result is not None and not 0 <= result.size <= MAX_ELEMENTS:
                raise ModelError(
                    f"run: result is too large; got {_described(result)} of {shown(node)}; at most "
                    f"{MAX_ELEMENTS:,} elements are supported"
                )
        if len(listed) < len(node.outputs) and any(node.outputs[len(listed) :]):
            raise ModelError(
                f"run: operator gives fewer results; got {shown(node)} with {len(node.outputs)} "
                f"outputs; {len(listed)} are supported"
            )
        return listed

    def _folded(self, step: ModelStep, inputs: list[ModelValue]) -> Any:
        """Return the results as constants, or None if an input is a tensor or this is too much."""
        if step.row.fold is None or step.wrapped:
            return None
        if any(map(is_text, inputs)):
            if not step.row.texts:
                return None
            inputs = list(map(on_host, inputs))
        elif not all(value is None or small(value) for value in inputs):
            return None
        arguments = [
            value.tolist() if isinstance(value, ModelConstant) and at in step.hosted else value
            for at, value in enumerate(inputs)
        ]
        return step.row.fold(*arguments, **step.options)


class GraphFunction:
    """A graph inside a node, as a function of values."""

    def __init__(self, run: ModelRun, program: ModelProgram, outer: dict[str, ModelValue]) -> None:
        self._run, self._program, self._outer = run, program, outer
        self.graph = program.graph

    def __call__(self, *inputs: ModelValue) -> list[ModelValue]:
        program = self._program
        names = [info.name for info in program.graph.inputs]
        if len(inputs) != len(names):
            raise ValueError(f"{len(inputs)} values for {len(names)} inputs of {self.graph.name!r}")
        values = {**self._outer, **program.constants, **dict(zip(names, inputs, strict=True))}
        outputs = [info.name for info in program.graph.outputs]
        return self._run.run(program.steps, values, outputs)


def as_numbers(value: ModelValue) -> Any:
    """Return a value as a number or nested lists of numbers."""
    if value is None or isinstance(value, (ValueList, HashTable)):
        raise TypeError("nothing, a list of tensors or a table instead of a tensor")
    if isinstance(value, SplitMatrix):
        value = value.unpacked()
    return value.tolist()


def on_host(value: ModelValue) -> Any:
    """Read a tensor as a constant; return other values as they are."""
    if not isinstance(value, (Tensor, Permuted)):
        return value
    tensor = as_tensor(value)
    return ModelConstant("", tensor.dtype, tensor.shape, tensor.reshape((-1,)).tolist())


def shown(node: ModelNode) -> str:
    """Describe a node in an error."""
    return f'node "{node.name}" ({node.operator})'


def some_of(names: list[str]) -> str:
    """List up to eight names of nodes."""
    listed = ", ".join(f'"{name}"' for name in names[:8])
    return listed + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _described(value: ModelValue) -> str:
    if isinstance(value, ValueList):
        return f"{value.size} tensors"
    if isinstance(value, HashTable):
        return f"a table of {value.size} entries"
    return "nothing" if value is None else f"{value.dtype}{list(value.shape)}"
