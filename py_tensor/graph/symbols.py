"""Nodes of a graph, and symbolic tensors, which are their outputs without values.

A symbolic tensor holds its node, and a node holds its input tensors. References to outputs and to
the graph are weak, so a graph's variables are freed when nothing else uses them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from itertools import count
from math import prod
from typing import Any

from ..diagnostics.memory import keep
from ..errors import ArgumentError, ShapeError
from ..functions.elementwise import astype
from ..functions.manipulation import reshape
from ..ops.op_def import Shape
from ..tensor import Tensor, as_tensor, node_behind

_tensor_ids: Iterator[int] = count()
_node_ids: Iterator[int] = count()


class SymbolicTensor:
    """Output of a node: a shape without values (Tensor until deeplearn.js 0.4).

    Methods of a `Graph` create it; a `Session` computes its value. `shape` is a tuple of int.

    >>> import py_tensor as pt
    >>> x = pt.graph.Graph().placeholder("x", [2, 3])
    >>> x.shape, x.node.name
    ((2, 3), 'x')
    """

    __slots__ = ("__weakref__", "id", "node", "shape")

    def __init__(self, node: Node, shape: Shape) -> None:
        self.id = next(_tensor_ids)
        self.node = node
        self.shape = shape

    @property
    def size(self) -> int:
        """Number of elements.

        >>> import py_tensor as pt
        >>> pt.graph.Graph().placeholder("x", [2, 3]).size
        6
        """
        return prod(self.shape)

    def __repr__(self) -> str:
        return f"{self.node.name!r} of shape {self.shape}"


class Node:
    """Operation, placeholder, constant or variable of a graph.

    `name` is the user's for placeholders and variables, and deeplearn.js's for operations. `inputs`
    is a dict of symbolic tensors by parameter name.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> y = g.exp(g.placeholder("x", [2]))
    >>> y.node, y.node.inputs["x"]
    (OperationNode 'Exp', 'x' of shape (2,))
    """

    def __init__(self, graph: GraphBase, name: str, inputs: dict[str, SymbolicTensor]) -> None:
        self.id = next(_node_ids)
        self.name = name
        self.inputs = inputs
        self._graph = weakref.ref(graph)
        self._output: weakref.ref[SymbolicTensor] | None = None

    def with_output(self, shape: Shape) -> SymbolicTensor:
        """Create and return the output; the caller must hold it.

        Args:
            shape: Shape of the output.
        """
        output = SymbolicTensor(self, shape)
        self._output = weakref.ref(output)
        return output

    @property
    def graph(self) -> GraphBase | None:
        """Graph of the node, or None if the graph is freed."""
        return self._graph()

    @property
    def output(self) -> SymbolicTensor | None:
        """Symbolic tensor of the node's value, or None after its graph was freed.

        >>> import py_tensor as pt
        >>> x = pt.graph.Graph().placeholder("x", [2, 3])
        >>> x.node.output is x
        True
        """
        return None if self._output is None else self._output()

    def compute(self, *values: Tensor) -> Tensor:
        """Return the output's value.

        Args:
            values: Values of the inputs, each with a leading axis of examples.

        Returns:
            Tensor with a leading axis of examples.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name!r}"


class PlaceholderNode(Node):
    """Node whose value is fed.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.placeholder("x", [2]).node
    PlaceholderNode 'x'
    """


class ConstantNode(Node):
    """Node of a constant; `data` is its value.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.constant([1, 2]).node.data.tolist()
    [1.0, 2.0]
    """

    def __init__(self, graph: GraphBase, data: Any) -> None:
        super().__init__(graph, "Constant", {})
        self.data = _floating("constant", data)

    def compute(self, *values: Tensor) -> Tensor:
        return reshape(self.data, (1, *self.data.shape))


class VariableNode(Node):
    """Node of a value that training changes; `data` is the current value and can be set.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> w = g.variable("w", 3.0)
    >>> w.node.data = 4.0
    >>> w.node.data.item()
    4.0
    """

    def __init__(self, graph: GraphBase, name: str, data: Any) -> None:
        super().__init__(graph, name, {})
        self._data = _floating("variable", data)

    @property
    def data(self) -> Tensor:
        """Current value, of a floating dtype. Setting one of another shape raises ShapeError."""
        return self._data

    @data.setter
    def data(self, value: Any) -> None:
        value = _floating("variable", value)
        if value.shape != self._data.shape:
            raise ShapeError(
                f"variable: data has the wrong shape; got {value.shape} for {self.name!r} of shape "
                f"{self._data.shape}; use the same shape"
            )
        self._data = value

    def compute(self, *values: Tensor) -> Tensor:
        return reshape(self._data, (1, *self._data.shape))


class OperationNode(Node):
    """Node of a value computed from others; `attributes` are the operation's further arguments.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.leaky_relu(g.constant([1, 2]), 0.1).node.attributes
    {'alpha': 0.1}
    """

    def __init__(
        self,
        graph: GraphBase,
        name: str,
        inputs: dict[str, SymbolicTensor],
        function: Callable[..., Tensor],
        /,
        *,
        has_gradient: bool = True,
        **attributes: Any,
    ) -> None:
        super().__init__(graph, name, inputs)
        self.attributes = attributes
        self.has_gradient = has_gradient
        self._function = function

    def compute(self, *values: Tensor) -> Tensor:
        return self._function(*values, **self.attributes)


def _floating(operation: str, data: Any) -> Tensor:
    """Return a floating tensor with its own handle, which no scope frees."""
    tensor = as_tensor(operation, data)
    if tensor.dtype.kind != "f":
        return keep(astype(tensor, "float32"))
    return keep(Tensor(node_behind(operation, tensor)))


def tensor_of(operation: str, graph: GraphBase, value: Any) -> SymbolicTensor:
    """Return `value` if it is a symbolic tensor of the graph; raise ArgumentError otherwise."""
    if not isinstance(value, SymbolicTensor):
        raise ArgumentError(
            f"{operation}: argument must be a tensor of a graph; got {type(value).__name__} "
            f"{value!r:.60}; create one with placeholder, variable or constant"
        )
    if value.node.graph is not graph:
        raise ArgumentError(
            f"{operation}: tensor belongs to another graph; got {value!r}; use tensors of this "
            "graph"
        )
    return value


class GraphBase:
    """Graph without operations: symbolic tensors and their nodes."""

    def __init__(self) -> None:
        self._tensors: list[SymbolicTensor] = []

    def _added(self, node: Node, shape: Shape) -> SymbolicTensor:
        tensor = node.with_output(shape)
        self._tensors.append(tensor)
        return tensor

    def _inputs(self, operation: str, **tensors: SymbolicTensor) -> dict[str, SymbolicTensor]:
        return {name: tensor_of(operation, self, tensor) for name, tensor in tensors.items()}

    def _operation(
        self,
        name: str,
        inputs: dict[str, SymbolicTensor],
        shape: Shape,
        function: Callable[..., Tensor],
        /,
        **attributes: Any,
    ) -> SymbolicTensor:
        return self._added(OperationNode(self, name, inputs, function, **attributes), shape)
