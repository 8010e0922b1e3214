"""What a graph is made of: nodes, and symbolic tensors, which are their outputs without values.

A symbolic tensor holds its node, and a node the symbolic tensors it takes. The other way, and to
the graph, the references are weak: so the values of a graph's variables go when its last user does.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from ..accounting import keep
from ..errors import ArgumentError, ShapeError
from ..functions.elementwise import astype
from ..functions.manipulation import reshape
from ..ops.rows import Shape
from ..tensor import Tensor, as_tensor, node_behind

if TYPE_CHECKING:
    from .graph import Graph

_tensor_ids: Iterator[int] = count()
_node_ids: Iterator[int] = count()


class SymbolicTensor:
    """The output of a node: a shape, but no values (Tensor until deeplearn.js 0.4).

    Made by the methods of a `Graph`; a `Session` computes its values.

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
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"{self.node.name!r} of shape {self.shape}"


class Node:
    """A place in a graph where a value comes from; `inputs` are what it is computed from, by name.

    `name` is the user's for placeholders and variables, and deeplearn.js's for operations.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> y = g.exp(g.placeholder("x", [2]))
    >>> y.node, y.node.inputs["x"]
    (OperationNode 'Exp', 'x' of shape (2,))
    """

    def __init__(self, graph: Graph, name: str, inputs: dict[str, SymbolicTensor]) -> None:
        self.id = next(_node_ids)
        self.name = name
        self.inputs = inputs
        self._graph = weakref.ref(graph)
        self._output: weakref.ref[SymbolicTensor] | None = None

    def with_output(self, shape: Shape) -> SymbolicTensor:
        """Its output, made now; whoever wants it holds it."""
        output = SymbolicTensor(self, shape)
        self._output = weakref.ref(output)
        return output

    @property
    def graph(self) -> Graph | None:
        """The graph it is in, None if that is gone."""
        return self._graph()

    @property
    def output(self) -> SymbolicTensor | None:
        """Its value's symbolic tensor, None if its graph is gone and nobody holds it.

        >>> import py_tensor as pt
        >>> x = pt.graph.Graph().placeholder("x", [2, 3])
        >>> x.node.output is x
        True
        """
        return None if self._output is None else self._output()

    def compute(self, *values: Tensor) -> Tensor:
        """The output's value for values of the inputs, all with a leading axis of examples."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name!r}"


class PlaceholderNode(Node):
    """A value that is fed.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.placeholder("x", [2]).node
    PlaceholderNode 'x'
    """


class ConstantNode(Node):
    """A value that never changes.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.constant([1, 2]).node.data.tolist()
    [1.0, 2.0]
    """

    def __init__(self, graph: Graph, data: Any) -> None:
        super().__init__(graph, "Constant", {})
        self.data = _floating("constant", data)

    def compute(self, *values: Tensor) -> Tensor:
        return reshape(self.data, (1, *self.data.shape))


class VariableNode(Node):
    """A value that training changes: `data` is the present one.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> w = g.variable("w", 3.0)
    >>> w.node.data = 4.0
    >>> w.node.data.item()
    4.0
    """

    def __init__(self, graph: Graph, name: str, data: Any) -> None:
        super().__init__(graph, name, {})
        self._data = _floating("variable", data)

    @property
    def data(self) -> Tensor:
        """The present value. Raises ShapeError when set to one of another shape."""
        return self._data

    @data.setter
    def data(self, value: Any) -> None:
        value = _floating("variable", value)
        if value.shape != self._data.shape:
            raise ShapeError(
                f"variable: data has another shape; got {value.shape} for {self.name!r} of shape "
                f"{self._data.shape}; give the same shape"
            )
        self._data = value

    def compute(self, *values: Tensor) -> Tensor:
        return reshape(self._data, (1, *self._data.shape))


class OperationNode(Node):
    """A value computed from others; `attributes` are what the operation was given beside them.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.leaky_relu(g.constant([1, 2]), 0.1).node.attributes
    {'alpha': 0.1}
    """

    def __init__(
        self,
        graph: Graph,
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
    """A floating tensor of a handle of its own, which no scope ends."""
    tensor = as_tensor(operation, data)
    if tensor.dtype.kind != "f":
        return keep(astype(tensor, "float32"))
    return keep(Tensor(node_behind(operation, tensor)))


def tensor_of(operation: str, graph: Graph, value: Any) -> SymbolicTensor:
    """`value` if it is a symbolic tensor of that graph; raises ArgumentError otherwise."""
    if not isinstance(value, SymbolicTensor):
        raise ArgumentError(
            f"{operation}: not a tensor of a graph; got {type(value).__name__} {value!r:.60}; "
            "make one with placeholder, variable or constant"
        )
    if value.node.graph is not graph:
        raise ArgumentError(
            f"{operation}: tensor belongs to another graph; got {value!r}; "
            "use tensors that this graph made"
        )
    return value
