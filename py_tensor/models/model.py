"""A loaded model: a function of tensors, with the names and shapes of its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..diagnostics.memory import dispose, keep
from ..errors import ArgumentError, TraceError
from ..functions.conversion import copy
from ..ir.node import own_tapes
from ..nn.module import Module, Symbolic, buffer_field, static_field
from ..runtime.scopes import state
from ..tensor import Tensor
from ..transforms.jit.precompile import warmup
from .execution import ModelProgram, ModelValue, Operator, is_text
from .graph import ModelGraph, ValueInfo
from .runner import ModelRunner, given_value
from .summary import Layer, Summary, layers_of, summarize


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
    _runner: ModelRunner = static_field()

    def __init__(self, graph: ModelGraph, table: Mapping[str, Operator]) -> None:
        self._runner = runner = ModelRunner(graph, table)
        weights = runner.weights
        self.weights = {name: weights[name] for name in weights if name not in graph.frozen}
        self.buffers = {name: weights[name] for name in weights if name in graph.frozen}
        runner.keep(self.state_dict().values())

    @property
    def _graph(self) -> ModelGraph:
        return self._runner.graph

    @property
    def _program(self) -> ModelProgram:
        return self._runner.program

    def _passed(self) -> dict[str, Tensor]:
        """Return the weights that calls must pass: none until they change."""
        if self._runner.are_loaded(self.weights, self.buffers):
            return {}
        return self.state_dict()

    def _trained(self) -> dict[str, Tensor]:
        """Return the weights that have changed, with their axes in the order of the file."""
        return self._runner.as_declared(self._passed())

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
        return {**self.weights, **self.buffers}

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
        return layers_of(self._graph)

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
                f"{self._runner.inputs.names or 'none'}"
            )
        by_name = {info.name: value for info, value in zip(self.inputs, inputs, strict=False)}
        if twice := by_name.keys() & named.keys():
            raise ArgumentError(
                f"model: input is given twice; got {', '.join(sorted(twice))}; pass it once"
            )
        results = list(self.run(by_name | named).values())
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
        tensors = self._runner.checked(inputs, names)
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
        checked = {**runner.as_stored(self.state_dict()), **runner.checked(inputs, names)}
        layers = {layer.outputs: layer for layer in self.layers}
        values = self._program.given_values({**checked, **runner.states})
        return (
            (layers[step.node.outputs], _Results(step.node.outputs, results))
            for step, results in self._program.step_by_step(values, names)
        )

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
        dispose(self.state_dict())
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
        inputs = self._runner.inputs.specs("warmup", specs)
        names = self._with_states(tuple(info.name for info in self.outputs))
        # Models of texts, and those whose shapes depend on values, run without compiling.
        if not any(map(is_text, inputs.values())):
            with suppress(TraceError):
                compiled = self._runner.compiled
                return _finished(warmup(compiled, inputs, names, self._passed(), progress=progress))
        return _finished(None)

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
        inputs = self._runner.inputs.specs("summary", specs)
        return summarize(self._runner.program, self.layers, inputs)


class _Results(Mapping[str, Tensor]):
    """Results of a node by name, which become tensors when they are read."""

    def __init__(self, names: Sequence[str], values: Sequence[ModelValue]) -> None:
        self._values = {name: value for name, value in zip(names, values, strict=False) if name}

    def __getitem__(self, name: str) -> Any:
        return given_value(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


async def _finished(compiling: Coroutine[Any, Any, Any] | None) -> None:
    if compiling is not None:
        await compiling
