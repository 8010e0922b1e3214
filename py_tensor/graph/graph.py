"""The graph: what deeplearn.js's Graph offers, one method an operation.

Comes in: symbolic tensors; goes out: a new one, whose node computes the operation. Shapes are
checked here; nothing is computed before a `Session` evaluates.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..functions.axes import a_shape
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..ops.rows import Shape
from ..tensor import Tensor
from . import operations, shapes
from .layers import GraphLayers
from .symbols import (
    ConstantNode,
    Node,
    OperationNode,
    PlaceholderNode,
    SymbolicTensor,
    VariableNode,
    tensor_of,
)


class Graph:
    """Operations on symbolic tensors, to be evaluated and trained by a `Session`.

    Shapes are those of one example: a batch is many evaluations. Every method that takes tensors
    raises ArgumentError for what is no tensor of this graph, ShapeError for shapes that do not fit.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> x = graph.placeholder("x", [2])
    >>> y = graph.add(graph.square(x), graph.constant(3))
    >>> session = pt.graph.Session(graph)
    >>> session.eval(y, [pt.graph.FeedEntry(x, [5.0, 4.0])]).tolist()
    [28.0, 19.0]
    """

    def __init__(self) -> None:
        self._tensors: list[SymbolicTensor] = []

    @property
    def layers(self) -> GraphLayers:
        """Layers that make their own variables."""
        return GraphLayers(self)

    def get_nodes(self) -> list[Node]:
        """All nodes, in the order in which they were made (getNodes).

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.square(g.constant(3))
        >>> g.get_nodes()
        [ConstantNode 'Constant', OperationNode 'Square']
        """
        return [tensor.node for tensor in self._tensors]

    # --- inputs ---------------------------------------------------------------------------------

    def variable(self, name: str, data: Any) -> SymbolicTensor:
        """A value that training changes, in the beginning `data`: a tensor, or what makes one.

        `tensor.node.data` is its present value, floating; integers become float32.

        >>> import py_tensor as pt
        >>> w = pt.graph.Graph().variable("w", pt.zeros((1, 3)))
        >>> w.shape, w.node.data.tolist()
        ((1, 3), [[0.0, 0.0, 0.0]])
        """
        node = VariableNode(self, name, data)
        return self._added(node, node.data.shape)

    def placeholder(self, name: str, shape: Any) -> SymbolicTensor:
        """A value of that shape that is fed at each evaluation.

        >>> import py_tensor as pt
        >>> pt.graph.Graph().placeholder("x", [3])
        'x' of shape (3,)
        """
        return self._added(PlaceholderNode(self, name, {}), a_shape("placeholder", shape))

    def constant(self, value: Any) -> SymbolicTensor:
        """A value that never changes: a number, nested lists, an array or a tensor.

        >>> import py_tensor as pt
        >>> pt.graph.Graph().constant([[1, 2], [3, 4]]).shape
        (2, 2)
        """
        node = ConstantNode(self, value)
        return self._added(node, node.data.shape)

    # --- arithmetic -----------------------------------------------------------------------------

    def add(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """x1 + x2: of equal shapes, one of them a single element, or a matrix and one of its rows.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.add(g.constant([[1, 2], [3, 4]]), g.constant([10, 20])).shape
        (2, 2)
        """
        return self._binary("add", "Add", x1, x2, rows=True)

    def subtract(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """x1 - x2: of equal shapes, or one of them a single element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.subtract(g.constant([6, 8]), g.constant(2))).tolist()
        [4.0, 6.0]
        """
        return self._binary("subtract", "Subtract", x1, x2)

    def multiply(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """x1 * x2, element by element: of equal shapes, or one of them a single element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.multiply(g.constant([6, 8]), g.constant(2))).tolist()
        [12.0, 16.0]
        """
        return self._binary("multiply", "Multiply", x1, x2)

    def divide(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """x1 / x2, element by element: of equal shapes, or one of them a single element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.divide(g.constant([6, 8]), g.constant(2))).tolist()
        [3.0, 4.0]
        """
        return self._binary("divide", "Divide", x1, x2)

    def fused_linear_combination(
        self, x1: SymbolicTensor, x2: SymbolicTensor, c1: SymbolicTensor, c2: SymbolicTensor
    ) -> SymbolicTensor:
        """c1 * x1 + c2 * x2 (fusedLinearCombination).

        x1 and x2 have equal shapes, c1 and c2 a single element each.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.constant([1, 2])
        >>> g.fused_linear_combination(x, x, g.constant(2), g.constant(3)).shape
        (2,)
        """
        name = "fused_linear_combination"
        inputs = self._inputs(name, t1=x1, t2=x2, c1=c1, c2=c2)
        shape = shapes.equal(name, x1, x2)
        for coefficient in (c1, c2):
            shapes.single(name, coefficient)
        return self._operation(
            "Linear Combination", inputs, shape, operations.fused_linear_combination
        )

    def matmul(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """The product of two matrices, of a matrix and a vector, or of a vector and a matrix.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.matmul(g.placeholder("w", [4, 3]), g.placeholder("x", [3])).shape
        (4,)
        """
        inputs = self._inputs("matmul", x1=x1, x2=x2)
        return self._operation("MatMul", inputs, shapes.product(x1, x2), operations.matmul)

    def reduce_sum(self, x: SymbolicTensor) -> SymbolicTensor:
        """The sum of all elements, of shape () (reduceSum).

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.reduce_sum(g.constant([3, 4]))).tolist()
        7.0
        """
        inputs = self._inputs("reduce_sum", x=x)
        return self._operation("ReduceSum", inputs, (), operations.reduce_sum)

    # --- shapes ---------------------------------------------------------------------------------

    def reshape(self, x: SymbolicTensor, shape: Any) -> SymbolicTensor:
        """The elements of x in order, in another shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.reshape(g.placeholder("x", [2, 3]), [6]).shape
        (6,)
        """
        inputs = self._inputs("reshape", x=x)
        new = shapes.reshaped(x, a_shape("reshape", shape))
        return self._operation("Reshape", inputs, new, operations.reshape, shape=new)

    def concat1d(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Two vectors, one behind the other.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.concat1d(g.constant([1]), g.constant([2, 3])).shape
        (3,)
        """
        return self._concat(x1, x2, 1, 0)

    def concat2d(self, x1: SymbolicTensor, x2: SymbolicTensor, axis: int) -> SymbolicTensor:
        """Two tensors of two axes joined along `axis`, counted from 0.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.concat2d(g.constant([[1, 2]]), g.constant([[3]]), 1).shape
        (1, 3)
        """
        return self._concat(x1, x2, 2, axis)

    def concat3d(self, x1: SymbolicTensor, x2: SymbolicTensor, axis: int) -> SymbolicTensor:
        """Two tensors of three axes joined along `axis`, counted from 0.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.placeholder("x", [2, 3, 4])
        >>> g.concat3d(x, x, 2).shape
        (2, 3, 8)
        """
        return self._concat(x1, x2, 3, axis)

    def concat4d(self, x1: SymbolicTensor, x2: SymbolicTensor, axis: int) -> SymbolicTensor:
        """Two tensors of four axes joined along `axis`, counted from 0.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.placeholder("x", [1, 2, 3, 4])
        >>> g.concat4d(x, x, 0).shape
        (2, 2, 3, 4)
        """
        return self._concat(x1, x2, 4, axis)

    # --- images ---------------------------------------------------------------------------------

    def conv2d(
        self,
        x: SymbolicTensor,
        w: SymbolicTensor,
        b: SymbolicTensor,
        field_size: int,
        output_depth: int,
        stride: int = 1,
        zero_pad: int | None = None,
    ) -> SymbolicTensor:
        """2-d convolution (cross-correlation) of an image, plus a bias for each output channel.

        `x` is (rows, columns, channels), `w` (field_size, field_size, channels, output_depth), `b`
        (output_depth,). `zero_pad` zeros are put around the image on each side; None gives the
        number with which the result has as many rows as the image: floor((rows * (stride - 1) -
        stride + field_size) / 2). The windows must fill the padded image exactly.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> w, b = g.variable("w", pt.ones((3, 3, 1, 2))), g.variable("b", pt.zeros(2))
        >>> g.conv2d(g.placeholder("x", [8, 8, 1]), w, b, 3, 2).shape
        (8, 8, 2)
        """
        inputs = self._inputs("conv2d", x=x, w=w, b=b)
        if (len(x.shape), len(b.shape)) != (3, 1):
            advice = "give (rows, columns, channels) and (output_depth,)"
            raise shapes.wrong("conv2d", "image or bias has other axes", advice, x, b)
        kernel = (field_size, field_size, x.shape[2], output_depth)
        if w.shape != kernel or b.shape != (output_depth,):
            advice = f"for {x!r} give shapes {kernel} and {(output_depth,)}"
            raise shapes.wrong("conv2d", "weights or bias do not fit", advice, w, b)
        found = shapes.windowed("conv2d", x, field_size, output_depth, stride, zero_pad)
        return self._operation(
            "Convolution 2D",
            inputs,
            found.shape,
            operations.conv2d,
            stride=found.stride,
            zero_pad=found.zero_pad,
        )

    def max_pool(
        self, x: SymbolicTensor, field_size: int, stride: int = 1, zero_pad: int | None = None
    ) -> SymbolicTensor:
        """The largest element of each square window of each channel (maxPool).

        `x` is (rows, columns, channels); `zero_pad` is as in `conv2d`, and padding never wins.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.max_pool(g.placeholder("x", [8, 8, 3]), 2, 2, 0).shape
        (4, 4, 3)
        """
        inputs = self._inputs("max_pool", x=x)
        if len(x.shape) != 3:
            advice = "give (rows, columns, channels)"
            raise shapes.wrong("max_pool", "image has other axes", advice, x)
        found = shapes.windowed("max_pool", x, field_size, x.shape[2], stride, zero_pad)
        return self._operation(
            "Max pool",
            inputs,
            found.shape,
            operations.max_pool,
            field_size=found.field_size,
            stride=found.stride,
            zero_pad=found.zero_pad,
        )

    # --- element by element ---------------------------------------------------------------------

    def exp(self, x: SymbolicTensor) -> SymbolicTensor:
        """e to the power of each element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.exp(g.constant([0.0]))).tolist()
        [1.0]
        """
        return self._unary("exp", "Exp", x)

    def log(self, x: SymbolicTensor) -> SymbolicTensor:
        """The natural logarithm of each element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.log(g.constant([1.0]))).tolist()
        [0.0]
        """
        return self._unary("log", "Log", x)

    def relu(self, x: SymbolicTensor) -> SymbolicTensor:
        """Each element where positive, else 0.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.relu(g.constant([3.0, -2.0]))).tolist()
        [3.0, 0.0]
        """
        return self._unary("relu", "ReLU", x)

    def leaky_relu(self, x: SymbolicTensor, alpha: float) -> SymbolicTensor:
        """Each element where positive, else `alpha` times it (leakyRelu).

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.leaky_relu(g.constant([3.0, -2.0]), 0.5)).tolist()
        [3.0, -1.0]
        """
        inputs = self._inputs("leaky_relu", x=x)
        if isinstance(alpha, SymbolicTensor):
            raise ArgumentError(f"leaky_relu: alpha is a tensor; got {alpha!r}; use prelu")
        return self._operation(
            "LeakyReLU", inputs, x.shape, operations.leaky_relu, alpha=float(alpha)
        )

    def prelu(self, x: SymbolicTensor, alpha: SymbolicTensor) -> SymbolicTensor:
        """Each element where positive, else its element of `alpha` times it.

        `alpha` has the shape of x, and gets gradients, which deeplearn.js does not give it.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.prelu(g.constant([-2.0]), g.constant([0.5]))).tolist()
        [-1.0]
        """
        inputs = self._inputs("prelu", x=x, alpha=alpha)
        shape = shapes.equal("prelu", x, alpha)
        return self._operation("PReLU", inputs, shape, operations.prelu)

    def elu(self, x: SymbolicTensor) -> SymbolicTensor:
        """Each element where not negative, else exp(x) - 1.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.elu(g.constant([3.0, 0.0]))).tolist()
        [3.0, 0.0]
        """
        return self._unary("elu", "Elu", x, operations.elu)

    def tanh(self, x: SymbolicTensor) -> SymbolicTensor:
        """The hyperbolic tangent of each element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.tanh(g.constant([0.0]))).tolist()
        [0.0]
        """
        return self._unary("tanh", "TanH", x)

    def sigmoid(self, x: SymbolicTensor) -> SymbolicTensor:
        """1 / (1 + exp(-x)) of each element.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.sigmoid(g.constant([0.0]))).tolist()
        [0.5]
        """
        return self._unary("sigmoid", "Sigmoid", x)

    def square(self, x: SymbolicTensor) -> SymbolicTensor:
        """Each element times itself.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.square(g.constant([3.0]))).tolist()
        [9.0]
        """
        return self._unary("square", "Square", x)

    # --- probabilities and costs ----------------------------------------------------------------

    def softmax(self, x: SymbolicTensor) -> SymbolicTensor:
        """exp(x) over its sum, of a vector of two elements or more.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.softmax(g.constant([0.0, 0.0]))).tolist()
        [0.5, 0.5]
        """
        inputs = self._inputs("softmax", x=x)
        if len(x.shape) != 1 or x.size < 2:
            advice = "use one axis of at least 2 elements"
            raise shapes.wrong("softmax", "not such a vector", advice, x)
        return self._operation("Softmax", inputs, x.shape, operations.softmax)

    def softmax_cross_entropy_cost(
        self, x: SymbolicTensor, target: SymbolicTensor
    ) -> SymbolicTensor:
        """-sum(target * log(softmax(x) + 1e-5)), of shape () (softmaxCrossEntropyCost).

        `x` are logits, `target` the probabilities they should give, in an equal shape. As in
        deeplearn.js, the gradient with respect to x is softmax(x) - target; the target has none.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> cost = g.softmax_cross_entropy_cost(g.constant([9, 1]), g.constant([1, 0]))
        >>> cost.shape
        ()
        """
        inputs = self._inputs("softmax_cross_entropy_cost", x=x, target=target)
        shape = shapes.equal("softmax_cross_entropy_cost", x, target)
        if not shape or not shape[-1]:
            advice = "use at least one"
            raise shapes.wrong("softmax_cross_entropy_cost", "no classes", advice, x)
        return self._operation(
            "SoftmaxCrossEntropyCost", inputs, (), operations.softmax_cross_entropy_cost
        )

    def mean_squared_cost(
        self, label: SymbolicTensor, prediction: SymbolicTensor
    ) -> SymbolicTensor:
        """Half the mean of (label - prediction)**2, of shape () (meanSquaredCost).

        As in deeplearn.js, the gradient with respect to the prediction is prediction - label, which
        is not divided by the number of elements.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> cost = g.mean_squared_cost(g.constant([1.0, 2.0]), g.constant([1.0, 4.0]))
        >>> pt.graph.Session(g).eval(cost).item()
        1.0
        """
        inputs = self._inputs("mean_squared_cost", label=label, prediction=prediction)
        shape = shapes.equal("mean_squared_cost", label, prediction)
        if 0 in shape:
            advice = "use at least one"
            raise shapes.wrong("mean_squared_cost", "no elements", advice, label)
        return self._operation("Mean Squared Cost", inputs, (), operations.mean_squared_cost)

    def argmax(self, x: SymbolicTensor) -> SymbolicTensor:
        """The place of the largest element, counted over all axes; int32, of shape ().

        It has no gradient.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.argmax(g.constant([0.1, 0.9]))).tolist()
        1
        """
        inputs = self._inputs("argmax", x=x)
        self._need_elements("argmax", x)
        return self._operation("ArgMax", inputs, (), operations.argmax, has_gradient=False)

    def argmax_equals(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Whether the largest elements are in the same place; bool, of shape () (argmaxEquals).

        It has no gradient.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> right = g.argmax_equals(g.constant([0.1, 0.9]), g.constant([0, 1]))
        >>> pt.graph.Session(g).eval(right).item()
        True
        """
        inputs = self._inputs("argmax_equals", x1=x1, x2=x2)
        shapes.equal("argmax_equals", x1, x2)
        self._need_elements("argmax_equals", x1)
        return self._operation(
            "ArgMaxEquals", inputs, (), operations.argmax_equals, has_gradient=False
        )

    # --- how nodes are added --------------------------------------------------------------------

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

    def _unary(
        self,
        operation: str,
        name: str,
        x: SymbolicTensor,
        function: Callable[..., Tensor] | None = None,
    ) -> SymbolicTensor:
        inputs = self._inputs(operation, x=x)
        return self._operation(name, inputs, x.shape, function or ELEMENTWISE[operation])

    def _binary(
        self,
        operation: str,
        name: str,
        x1: SymbolicTensor,
        x2: SymbolicTensor,
        rows: bool = False,
    ) -> SymbolicTensor:
        inputs = self._inputs(operation, t1=x1, t2=x2)
        shape = shapes.elementwise(operation, x1, x2, rows)
        return self._operation(
            name, inputs, shape, operations.binary, function=ELEMENTWISE[operation], shape=shape
        )

    def _concat(
        self, x1: SymbolicTensor, x2: SymbolicTensor, ndim: int, axis: int
    ) -> SymbolicTensor:
        operation = f"concat{ndim}d"
        inputs = self._inputs(operation, x1=x1, x2=x2)
        shape = shapes.concatenated(operation, x1, x2, ndim, index(axis))
        return self._operation(f"Concat{ndim}D", inputs, shape, operations.concat, axis=index(axis))

    def _need_elements(self, operation: str, x: SymbolicTensor) -> None:
        if not x.size:
            raise ShapeError(f"{operation}: no elements; got {x!r}; use at least one")
