"""A loaded model: a function of tensors, with the names and shapes of its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, NamedTuple

from ..diagnostics.memory import dispose, keep
from ..dtypes import float32
from ..errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError, TraceError
from ..functions.creation import asarray, copy
from ..ir.node import own_tapes
from ..nn.module import Module, Symbolic, buffer_field, static_field
from ..runtime.scopes import state
from ..tensor import Tensor
from ..transforms.jacobians import eval_shape
from ..transforms.jit.api import jit
from ..transforms.jit.precompile import ShapeDtype, warmup
from .execution import ModelProgram, ModelValue, Operator, is_text
from .graph import TEXT, ModelConstant, ModelGraph, ValueInfo, ValueList, reads
from .layouts import Count, Permuted, as_tensor
from .passes import optimize
from .summary import Summary, SummaryRow, multiply_adds


class Layer(NamedTuple):
    """One node of a model.

    >>> import py_tensor as pt
    >>> pt.models.Layer("relu1", "Relu", ("x",), ("y",), 0, 0).operator
    'Relu'
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    """Names of values; "" for an omitted input."""
    outputs: tuple[str, ...]
    parameters: int
    """Number of elements of the constants that the node reads, and no node before it."""
    nbytes: int
    """Bytes of these constants in the file."""
    attributes: Mapping[str, Any] = {}
    """Options of the operator by name: numbers, texts, lists of these, and others."""


class _Runner:
    """The parts of a model that its copies with other weights share."""

    def __init__(self, graph: ModelGraph, table: Mapping[str, Operator]) -> None:
        self.table = table
        self.program = program = ModelProgram(graph, table)
        optimize(program)
        kept = program.graph.constants
        self.graph = graph = graph._replace(
            constants={
                name: each if name in kept else each.without_elements()
                for name, each in graph.constants.items()
            }
        )
        self.eager = False
        self.format = self.producer = ""
        self.states: dict[str, Tensor] = {}
        """States that calls keep, by name; none before the first call."""
        known = frozenset(program.constants).union(
            (info.name for info in graph.inputs), *(step.node.outputs for step in program.steps)
        ) - {""}
        self.values = known | {name for name, value in graph.aliases.items() if value in known}
        """Names that `run` can return."""
        found = program.trainable()
        self.orders = {name: x.order for name, x in found.items() if isinstance(x, Permuted)}
        """Order of axes of weights that are stored in another order than that of the file."""
        self.weights = {name: _stored(value) for name, value in found.items()}
        self._loaded: list[Tensor] = []
        self._nodes: list[Any] = []

        def forward(
            inputs: dict[str, Tensor], outputs: tuple[str, ...], weights: dict[str, Tensor]
        ) -> list[Tensor]:
            wanted = [graph.aliases.get(name, name) for name in outputs]
            given = {**self.as_stored(weights), **inputs}
            return [_given(value) for value in program.run(given, wanted)]

        forward.__name__ = graph.name or "model"
        self._held = [
            _stored(value)._node.buffer
            for value in program.constants.values()
            if isinstance(value, (Tensor, Permuted))
        ]
        """Buffers of weights that may have a copy on the host."""
        self.forward: Callable[..., list[Tensor]] = forward
        self.compiled: Callable[..., list[Tensor]] = jit(forward, static_argnames="outputs")

    def as_stored(self, weights: dict[str, Tensor]) -> dict[str, Tensor | Permuted]:
        """Return weights as values of the program."""
        orders = self.orders
        return {
            name: Permuted(weight, orders[name], True) if name in orders else weight
            for name, weight in weights.items()
        }

    def results(
        self, tensors: dict[str, Tensor], names: tuple[str, ...], weights: dict[str, Tensor]
    ) -> list[Tensor]:
        """Return values by name."""
        if not self.eager and not any(map(is_text, tensors.values())):
            try:
                results = self.compiled(tensors, names, weights)
            except TraceError:
                # Inside of another trace, this raises TraceError again.
                results = self.forward(tensors, names, weights)
                self.eager = True
            else:
                self._held = [buffer for buffer in self._held if not _released(buffer)]
            return results
        return self.forward(tensors, names, weights)

    def keep(self, tensors: Iterable[Tensor]) -> None:
        """Note the weights of the file, which compiled calls capture."""
        self._loaded = [*tensors]
        self._nodes = [*map(_node_of, self._loaded)]

    def dispose(self) -> None:
        """Free the constants of the file, the states, and what compiled calls have captured."""
        self.compiled = jit(self.forward, static_argnames="outputs")
        dispose(self._loaded, self.states, *tensors_of(self.program))
        self._loaded, self._nodes, self._held = [], [], []

    def are_loaded(self, weights: dict[str, Tensor], buffers: dict[str, Tensor]) -> bool:
        """Return True if weights have the values of the file, so that calls need not pass them."""
        if [*map(_node_of, weights.values()), *map(_node_of, buffers.values())] == self._nodes:
            return True
        if self._nodes and [*map(_node_of, self._loaded)] != self._nodes:
            # The model was trained: free the weights of the file, and the calls that captured them.
            self._nodes = []
            self.compiled = jit(self.forward, static_argnames="outputs")
        return False


_node_of = attrgetter("_node")


class Model(Module):
    """A model that `load` returns; call it with tensors.

    A call is compiled for each kind of input shapes, like a function under `pt.jit`. If a shape or
    a condition inside the model depends on values of inputs, the model runs without compiling.

    A model is a module: its floating weights are its parameters, with the names of the file, and
    can be trained. Layers that act differently in training, such as dropout, do not.

    >>> import py_tensor as pt
    >>> model = pt.models.loads(pt.models.EXAMPLE)
    >>> model(pt.asarray([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    >>> model.run({"x": [-3.0, 4.0]}, outputs=["y"])["y"].tolist()
    [0.0, 4.0]
    >>> model.inputs
    (ValueInfo(name='x', dtype=float32, shape=('n',)),)
    """

    weights: dict[str, Tensor]
    buffers: dict[str, Tensor] = buffer_field()
    _runner: _Runner = static_field()

    def __init__(self, graph: ModelGraph, table: Mapping[str, Operator]) -> None:
        self._runner = runner = _Runner(graph, table)
        found = runner.weights
        self.weights = {name: found[name] for name in found if name not in graph.frozen}
        self.buffers = {name: found[name] for name in found if name in graph.frozen}
        runner.keep(self._tensors().values())

    @property
    def _graph(self) -> ModelGraph:
        return self._runner.graph

    @property
    def _table(self) -> Mapping[str, Operator]:
        return self._runner.table

    @property
    def _program(self) -> ModelProgram:
        return self._runner.program

    @property
    def _eager(self) -> bool:
        return self._runner.eager

    def _tensors(self) -> dict[str, Tensor]:
        return {**self.weights, **self.buffers}

    def _passed(self) -> dict[str, Tensor]:
        """Return the weights that calls must pass: none until they change."""
        if self._runner.are_loaded(self.weights, self.buffers):
            return {}
        return self._tensors()

    def _trained(self) -> dict[str, Tensor]:
        """Return the weights that have changed, with their axes in the order of the file."""
        orders = self._runner.orders
        return {
            name: as_tensor(Permuted(tensor, orders[name])) if name in orders else tensor
            for name, tensor in self._passed().items()
        }

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Iterate over the weights that training changes, with their names in the file.

        Returns:
            Iterator of (name, tensor).

        >>> import py_tensor as pt
        >>> list(pt.models.loads(pt.models.EXAMPLE).named_parameters())
        []
        """
        return iter(self.weights.items())

    def state_dict(self) -> dict[str, Tensor]:
        """Return the floating weights by their names in the file, with those that are not trained.

        Returns:
            Dict of tensors, which change when the model is trained.

        >>> import py_tensor as pt
        >>> pt.models.loads(pt.models.EXAMPLE).state_dict()
        {}
        """
        return self._tensors()

    def __repr__(self) -> str:
        inputs = ", ".join(info.name for info in self.inputs)
        outputs = ", ".join(info.name for info in self.outputs)
        return f"Model({self._graph.name!r}: {inputs} -> {outputs})"

    @property
    def format(self) -> str:
        """Format of the file: "onnx", "tfjs", "tflite" or "py_tensor"."""
        return self._runner.format

    @property
    def producer(self) -> str:
        """Program that wrote the file, if the file names it, else ""."""
        return self._runner.producer

    @property
    def inputs(self) -> tuple[ValueInfo, ...]:
        """Names, dtypes and shapes of the inputs; a str is a length that calls decide."""
        return self._graph.inputs

    @property
    def outputs(self) -> tuple[ValueInfo, ...]:
        """Names, dtypes and shapes of the outputs."""
        return self._graph.outputs

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Nodes in the order in which they run."""
        seen: set[str] = set()
        found = []
        for node in self._graph.nodes:
            constants = []
            for name in dict.fromkeys(reads(node)):
                if name in self._graph.constants and name not in seen:
                    constants.append(self._graph.constants[name])
                    seen.add(name)
            found.append(
                Layer(
                    node.name,
                    node.operator,
                    node.inputs,
                    node.outputs,
                    sum(constant.size for constant in constants),
                    sum(constant.nbytes for constant in constants),
                    node.attributes,
                )
            )
        return tuple(found)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Call `forward`.

        Args:
            inputs: Passed to `forward`.
            named: Passed to `forward`.

        Returns:
            Result of `forward`.

        Raises:
            ArgumentError, ShapeError, DTypeError, ModelError: As `forward` does.
        """
        if any(isinstance(value, Symbolic) for value in inputs):
            return super().__call__(*inputs, **named)
        return self.forward(*inputs, **named)

    def forward(self, *inputs: Any, training: bool = False, **named: Any) -> Any:
        """Return the model's output for its inputs.

        Args:
            inputs: Tensors or array-likes, in the order of `inputs`; for texts, str or nested lists
            of str.
            training: Accepted as in other modules; it changes nothing.
            named: The same by name.

        Returns:
            Tensor, or a tuple of tensors if the model has several outputs. Texts are str or nested
            lists of str.

        Raises:
            ArgumentError: If inputs are missing or unknown.
            ShapeError, DTypeError: If an input differs from its declared shape or dtype.
            ModelError: If a node does not support its inputs; the error names the node.
        """
        if len(inputs) > len(self.inputs):
            raise ArgumentError(
                f"model: too many inputs; got {len(inputs)} for {len(self.inputs)}; pass "
                f"{self._names() or 'none'}"
            )
        given = {info.name: value for info, value in zip(self.inputs, inputs, strict=False)}
        if twice := given.keys() & named.keys():
            raise ArgumentError(
                f"model: input is given twice; got {', '.join(sorted(twice))}; pass it once"
            )
        results = list(self.run(given | named).values())
        return results[0] if len(results) == 1 else tuple(results)

    def run(
        self, inputs: Mapping[str, Any], outputs: Sequence[str] | None = None
    ) -> dict[str, Tensor]:
        """Return values by name; only the nodes that they need are run.

        Args:
            inputs: Tensors or array-likes by name; for texts, str or nested lists of str.
            outputs: Names of outputs, or of other values inside the model; None (default) for all
                outputs.

        Returns:
            Dict of tensors in the order of `outputs`. Texts are str or nested lists of str.

        Raises:
            ArgumentError: If inputs are missing, or a name is unknown.
            ShapeError, DTypeError: If an input differs from its declared shape or dtype.
            ModelError: If a node does not support its inputs; the error names the node.
        """
        names = tuple(info.name for info in self.outputs) if outputs is None else tuple(outputs)
        tensors = self._checked(inputs, names)
        if self._graph.states and state.trace is not None:
            raise TraceError(
                f"model: a stateful model cannot be traced; got a call of {self!r} inside of "
                f"{state.trace.name}; call the model outside, where each call is compiled and "
                "continues with the states of the call before"
            )
        results = self._runner.results(
            {**tensors, **self._runner.states}, self._with_states(names), self._passed()
        )
        if self._graph.states and not own_tapes():
            # Copies, because a state may also be an output, which its owner disposes.
            new = [keep(copy(result)) for result in results[len(names) :]]
            self._runner.states = dict(zip(self._graph.states, new, strict=True))
        return dict(zip(names, results, strict=False))

    def run_layers(self, inputs: Mapping[str, Any]) -> Iterator[tuple[Layer, Mapping[str, Tensor]]]:
        """Run the nodes one after the other, without compiling them together.

        The results of a node are computed when they are needed, as all tensors are: pass the next
        step to `pt.profile` to measure a node alone. States of stateful layers stay as they are.

        Args:
            inputs: Tensors or array-likes by name; for texts, str or nested lists of str.

        Returns:
            Iterator of (layer, results): a `Layer`, and its results by name. Nodes that are
            computed when the model is loaded are left out.

        Raises:
            ArgumentError, ShapeError, DTypeError: As `run` does.
            ModelError: If a node does not support its inputs; the error names the node.

        >>> import py_tensor as pt
        >>> model = pt.models.loads(pt.models.EXAMPLE)
        >>> for layer, results in model.run_layers({"x": [-1.0, 2.0]}):
        ...     print(layer.operator, results["y"].tolist())
        Relu [0.0, 2.0]
        """
        runner, names = self._runner, tuple(info.name for info in self.outputs)
        given = {**runner.as_stored(self._tensors()), **self._checked(inputs, names)}
        layers = {layer.outputs: layer for layer in self.layers}
        values = self._program.given_values({**given, **runner.states})
        return (
            (layers[step.node.outputs], _Results(dict(zip(step.node.outputs, found, strict=False))))
            for step, found in self._program.step_by_step(values, names)
        )

    def _checked(self, inputs: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        """Convert inputs and check them, and the names of outputs."""
        known = {info.name: info for info in self.inputs}
        aliases = self._graph.aliases
        inputs = {
            name if name in known else aliases.get(name, name): x for name, x in inputs.items()
        }
        for what, unknown in (
            ("inputs are unknown", [name for name in inputs if name not in known]),
            ("inputs are missing", [name for name in known if name not in inputs]),
            ("outputs are unknown", [name for name in names if name not in self._runner.values]),
        ):
            if unknown:
                raise ArgumentError(
                    f"model: {what}; got {', '.join(map(repr, unknown))}; the inputs are "
                    f"{self._names() or 'none'}, the outputs "
                    f"{', '.join(repr(info.name) for info in self.outputs)}"
                )
        converts = self._graph.converts_inputs
        return {name: _input(info, inputs[name], converts) for name, info in known.items()}

    def _with_states(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return (*names, *self._graph.states.values())

    def reset_states(self) -> None:
        """Set the states of stateful layers to zeros, for a new sequence.

        A layer of Keras with `stateful=True` continues each call with the states of the call
        before. Calls inside of `pt.grad` leave the states as they are; those inside of `pt.jit`
        raise TraceError.

        >>> import py_tensor as pt
        >>> pt.models.loads(pt.models.EXAMPLE).reset_states()
        """
        self._runner.states = {}

    def dispose(self) -> None:
        """Free the weights, and the values and plans that calls keep; it cannot be called again.

        Copies of the model share what calls keep, so they cannot be called again, either. A model
        without further references is freed without this method.

        >>> import py_tensor as pt
        >>> pt.models.loads(pt.models.EXAMPLE).dispose()
        """
        dispose(self._tensors())
        self._runner.dispose()

    def warmup(
        self, *specs: Any, progress: Callable[[int, int], None] | None = None
    ) -> Coroutine[Any, Any, None]:
        """Compile the model before its first call: `await model.warmup(pt.ShapeDtype((1, 4)))`.

        Args:
            specs: A `pt.ShapeDtype` or a tensor for each input, or texts for an input of texts;
                none if the file declares all lengths.
            progress: Called as progress(done, total) with counts of shader programs; None
                (default) for no reports.

        Returns:
            Coroutine to await.

        Raises:
            ArgumentError: If the number of specs is wrong.
            ModelError: If a node does not support such inputs.
            ShaderError, BackendError: If compilation fails; raised by the await.
        """
        given = self._specs("warmup", specs)
        if any(map(is_text, given.values())):
            # The model runs without compiling.
            return _nothing()
        names = self._with_states(tuple(info.name for info in self.outputs))
        try:
            compiling = warmup(
                self._runner.compiled, given, names, self._passed(), progress=progress
            )
        except TraceError:
            # The model runs without compiling.
            return _nothing()
        return _finished(compiling)

    def summary(self, *specs: Any) -> Summary:
        """Return a table of the nodes: shapes of results, parameters, bytes and multiply-adds.

        Args:
            specs: A `pt.ShapeDtype` or a tensor for each input, or texts for an input of texts;
                none if the file declares all lengths.

        Returns:
            Summary; its str is a table with one line per node. Shapes that depend on values are
            shown as "?", and those of nodes that are computed when the model is loaded as
            "constant".

        Raises:
            ArgumentError: If the number of specs is wrong.
            ModelError: If a node does not support such inputs.

        >>> import py_tensor as pt
        >>> model = pt.models.loads(pt.models.EXAMPLE)
        >>> print(model.summary(pt.ShapeDtype((5,))))
        node   operator  shape  parameters  bytes  multiply-adds
        y      Relu      (5,)            0      0              0
        total                            0      0              0
        transposes between nodes: 0
        """
        given = self._specs("summary", specs)
        in_call = {name for step in self._program.steps for name in step.node.outputs}
        shapes: dict[str, str] = {}
        products: dict[str, int] = {}
        transposes: list[int] = []

        texts = {name: given.pop(name) for name in [*given] if is_text(given[name])}

        def record(**tensors: Tensor) -> None:
            inputs = {**tensors, **texts}
            seen: set[int] = set()
            kept = []

            def note(name: str, value: ModelValue) -> None:
                if value is not None:
                    kept.append(value)
                    shapes[name] = str(value.shape)
                if isinstance(value, (Tensor, Permuted)):
                    tensor = value.tensor if isinstance(value, Permuted) else value
                    products[name] = multiply_adds(tensor._node, seen)

            names = [name for node in self._graph.nodes for name in node.outputs if name in in_call]
            self._program.run(inputs, names, note)
            outputs = [info.name for info in self.outputs]
            before = Count.transposes
            for value in self._program.run(inputs, outputs):
                _given(value)
            transposes.append(Count.transposes - before)

        with suppress(TraceError):
            eval_shape(record, **given)
        rows = []
        for layer in self.layers:
            names = [name for name in layer.outputs if name]
            shape = ", ".join(shapes.get(n, "?" if n in in_call else "constant") for n in names)
            counted = sum(products.get(name, 0) for name in names)
            rows.append(
                SummaryRow(
                    layer.name, layer.operator, shape, layer.parameters, layer.nbytes, counted
                )
            )
        return Summary(tuple(rows), transposes[0] if transposes else None)

    def _specs(self, operation: str, specs: tuple[Any, ...]) -> dict[str, Any]:
        """Return the specs by name; texts are constants of the same shape."""
        if not specs:
            if any(
                info.shape is None or not all(isinstance(n, int) for n in info.shape)
                for info in self.inputs
            ):
                raise ArgumentError(
                    f"{operation}: file does not declare all lengths; got inputs "
                    f"{self._names()}; pass a pt.ShapeDtype for each"
                )
            specs = tuple(
                _blank(info.shape)
                if info.dtype is TEXT
                else ShapeDtype(info.shape, info.dtype or float32)
                for info in self.inputs
            )
        if len(specs) != len(self.inputs):
            raise ArgumentError(
                f"{operation}: number of specs is wrong; got {len(specs)} for {len(self.inputs)} "
                f"inputs; pass one for each of {self._names()}"
            )
        return {
            info.name: _texts(info, spec) if info.dtype is TEXT else spec
            for info, spec in zip(self.inputs, specs, strict=True)
        }

    def _names(self) -> str:
        return ", ".join(repr(info.name) for info in self.inputs)


def _released(buffer: Any) -> bool:
    """Forget the host's copy of a weight that is on the device, and return whether it is there."""
    if buffer is None or buffer.handle is None or buffer.backend.on_host:
        return False
    buffer.host = None
    return True


def tensors_of(program: ModelProgram) -> Iterator[Tensor]:
    """Yield the tensors of a program's constants, and of the graphs inside of its nodes."""
    for value in program.constants.values():
        if isinstance(value, (Tensor, Permuted)):
            yield _stored(value)
        elif isinstance(value, ModelConstant) and value.has_tensor:
            yield value.tensor()
    for step in program.steps:
        for body in step.bodies.values():
            yield from tensors_of(body)


def _stored(value: Tensor | Permuted) -> Tensor:
    return value.tensor if isinstance(value, Permuted) else value


class _Results(Mapping[str, Tensor]):
    """Results of a node by name, which become tensors when they are read."""

    def __init__(self, values: dict[str, ModelValue]) -> None:
        self._values = {name: value for name, value in values.items() if name}

    def __getitem__(self, name: str) -> Any:
        return _given(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _given(value: ModelValue) -> Any:
    """Return a result as a tensor, a list of tensors, texts, or None."""
    if isinstance(value, ValueList):
        return [_given(each) for each in value.elements]
    if isinstance(value, ModelConstant) and value.dtype is TEXT:
        texts = [str(each, "utf-8", "replace") for each in value.numbers]
        return ModelConstant("", TEXT, value.shape, texts).tolist()
    return None if value is None else as_tensor(value)


def _input(info: ValueInfo, given: Any, converts: bool) -> Any:
    """Convert an input, and check it against its declaration."""
    if info.is_optional and given is None:
        return None
    if info.is_list:
        if not isinstance(given, (list, tuple)):
            raise ArgumentTypeError(
                f'model: input "{info.name}" is not a list; got {type(given).__name__}; pass a '
                "list of tensors"
            )
        element = info._replace(is_list=False, is_optional=False)
        return [_input(element, each, converts) for each in given]
    value: Any
    if info.dtype is TEXT:
        value = _texts(info, given)
    else:
        plain = isinstance(given, (bool, int, float, list, tuple))
        value = asarray(given, dtype=info.dtype if plain else None)
    if converts and info.dtype is not None and value.dtype is not info.dtype:
        value = value.astype(info.dtype)
    if info.dtype is not None and value.dtype is not info.dtype:
        raise DTypeError(
            f'model: input "{info.name}" has another dtype; got {value.dtype}; use '
            f'.astype("{info.dtype}")'
        )
    shape = info.shape
    if shape is not None and (
        len(shape) != len(value.shape)
        or any(
            isinstance(n, int) and n != length for n, length in zip(shape, value.shape, strict=True)
        )
    ):
        wanted = ", ".join("?" if length is None else str(length) for length in shape)
        raise ShapeError(
            f'model: input "{info.name}" has another shape; got {value.shape}; the model takes '
            f"({wanted})"
        )
    return value


def _blank(shape: Any) -> Any:
    """Return nested lists of empty texts."""
    return [_blank(shape[1:]) for _ in range(shape[0])] if shape else ""


def _texts(info: ValueInfo, given: Any) -> ModelConstant:
    """Convert a text or nested lists of texts."""
    found: list[bytes] = []

    def shape_of(value: Any) -> tuple[int, ...]:
        if isinstance(value, (str, bytes)):
            found.append(value if isinstance(value, bytes) else value.encode())
            return ()
        if not isinstance(value, (list, tuple)):
            raise ArgumentTypeError(
                f'model: input "{info.name}" takes texts; got {type(value).__name__}; pass a str '
                "or nested lists of str"
            )
        shapes = {shape_of(each) for each in value}
        if len(shapes) > 1:
            raise ShapeError(
                f'model: lists of texts have different lengths; got input "{info.name}" with '
                f"elements of the shapes {sorted(shapes)!r:.80}; use lists of one length"
            )
        return (len(value), *shapes.pop()) if shapes else (0,)

    shape = shape_of(given.tolist() if hasattr(given, "tolist") else given)
    return ModelConstant(info.name, TEXT, shape, found)


async def _finished(compiling: Coroutine[Any, Any, Any]) -> None:
    await compiling


async def _nothing() -> None:
    pass
