"""Graph of symbolic tensors, with one method per operation, as in deeplearn.js.

Input: symbolic tensors. Output: a new one, whose node computes the operation. Shapes are checked
here; a `Session` computes values. `GraphLayers` adds several nodes at once.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index

from ..errors import ArgumentError, ShapeError
from ..functions import elementwise
from ..functions.arguments import a_shape
from ..tensor import Tensor
from ..typing import ArrayLike, ShapeLike
from . import operations, shapes
from .initializers import Initializer, VarianceScalingInitializer, ZerosInitializer
from .symbols import (
    ConstantNode,
    GraphBase,
    Node,
    PlaceholderNode,
    SymbolicTensor,
    VariableNode,
    tensor_of,
)


class Graph(GraphBase):
    """Graph of operations on symbolic tensors, which a `Session` evaluates and trains.

    Shapes are those of one example; a batch evaluates the graph for each of its examples. Every
    method that takes tensors raises ArgumentError for values that are not tensors of this graph,
    and ShapeError for shapes that do not fit.

    >>> import py_tensor as pt
    >>> graph = pt.graph.Graph()
    >>> x = graph.placeholder("x", [2])
    >>> y = graph.add(graph.square(x), graph.constant(3))
    >>> session = pt.graph.Session(graph)
    >>> session.eval(y, [pt.graph.FeedEntry(x, [5.0, 4.0])]).tolist()
    [28.0, 19.0]
    """

    @property
    def layers(self) -> GraphLayers:
        """Layers that create their own variables."""
        return GraphLayers(self)

    def get_nodes(self) -> list[Node]:
        """Return all nodes in the order of their creation (getNodes).

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.square(g.constant(3))
        >>> g.get_nodes()
        [ConstantNode 'Constant', OperationNode 'Square']
        """
        return [tensor.node for tensor in self._tensors]

    # --- inputs ---------------------------------------------------------------------------------

    def variable(self, name: str, data: ArrayLike) -> SymbolicTensor:
        """Add a variable, which training changes. `tensor.node.data` is its current value.

        Args:
            name: Name of the variable.
            data: Initial value: a tensor, array, nested lists or a number. Integers become float32.

        Returns:
            Symbolic tensor of the data's shape.

        >>> import py_tensor as pt
        >>> w = pt.graph.Graph().variable("w", pt.zeros((1, 3)))
        >>> w.shape, w.node.data.tolist()
        ((1, 3), [[0.0, 0.0, 0.0]])
        """
        node = VariableNode(self, name, data)
        return self._added(node, node.data.shape)

    def placeholder(self, name: str, shape: ShapeLike) -> SymbolicTensor:
        """Add a placeholder, whose value is fed at each evaluation.

        Args:
            name: Name of the placeholder.
            shape: Shape of one example.

        Returns:
            Symbolic tensor of that shape.

        >>> import py_tensor as pt
        >>> pt.graph.Graph().placeholder("x", [3])
        'x' of shape (3,)
        """
        return self._added(PlaceholderNode(self, name, {}), a_shape("placeholder", shape))

    def constant(self, value: ArrayLike) -> SymbolicTensor:
        """Add a constant.

        Args:
            value: Number, nested lists, array or tensor. Integers become float32.

        Returns:
            Symbolic tensor of the value's shape.

        >>> import py_tensor as pt
        >>> pt.graph.Graph().constant([[1, 2], [3, 4]]).shape
        (2, 2)
        """
        node = ConstantNode(self, value)
        return self._added(node, node.data.shape)

    # --- arithmetic -----------------------------------------------------------------------------

    def add(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Add element by element: x1 + x2.

        Args:
            x1: First operand.
            x2: Second operand, of x1's shape. One operand may also be a single element, or a vector
                that is added to each row of a matrix.

        Returns:
            Symbolic tensor of the larger shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> y = g.add(g.constant([[1, 2], [3, 4]]), g.constant([10, 20]))
        >>> pt.graph.Session(g).eval(y).tolist()
        [[11.0, 22.0], [13.0, 24.0]]
        """
        return self._binary("add", "Add", x1, x2, rows=True)

    def subtract(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Subtract element by element: x1 - x2.

        Args:
            x1: First operand.
            x2: Second operand, of x1's shape; one operand may be a single element.

        Returns:
            Symbolic tensor of the larger shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.subtract(g.constant([6, 8]), g.constant(2))).tolist()
        [4.0, 6.0]
        """
        return self._binary("subtract", "Subtract", x1, x2)

    def multiply(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Multiply element by element: x1 * x2.

        Args:
            x1: First operand.
            x2: Second operand, of x1's shape; one operand may be a single element.

        Returns:
            Symbolic tensor of the larger shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.multiply(g.constant([6, 8]), g.constant(2))).tolist()
        [12.0, 16.0]
        """
        return self._binary("multiply", "Multiply", x1, x2)

    def divide(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Divide element by element: x1 / x2.

        Args:
            x1: Dividend.
            x2: Divisor, of x1's shape; one operand may be a single element.

        Returns:
            Symbolic tensor of the larger shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.divide(g.constant([6, 8]), g.constant(2))).tolist()
        [3.0, 4.0]
        """
        return self._binary("divide", "Divide", x1, x2)

    def fused_linear_combination(
        self, x1: SymbolicTensor, x2: SymbolicTensor, c1: SymbolicTensor, c2: SymbolicTensor
    ) -> SymbolicTensor:
        """Compute c1 * x1 + c2 * x2 (fusedLinearCombination).

        Args:
            x1: First operand.
            x2: Second operand, of x1's shape.
            c1: Factor of x1, a single element.
            c2: Factor of x2, a single element.

        Returns:
            Symbolic tensor of x1's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.constant([1, 2])
        >>> y = g.fused_linear_combination(x, x, g.constant(2), g.constant(3))
        >>> pt.graph.Session(g).eval(y).tolist()
        [5.0, 10.0]
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
        """Multiply two matrices, a matrix and a vector, or a vector and a matrix.

        Args:
            x1: Matrix (m, k) or vector (k,).
            x2: Matrix (k, n) or vector (k,); at least one operand is a matrix.

        Returns:
            Symbolic tensor of shape (m, n), (m,) or (n,).

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> y = g.matmul(g.constant([[1, 2], [3, 4]]), g.constant([1, 10]))
        >>> pt.graph.Session(g).eval(y).tolist()
        [21.0, 43.0]
        """
        inputs = self._inputs("matmul", x1=x1, x2=x2)
        return self._operation("MatMul", inputs, shapes.product(x1, x2), operations.matmul)

    def reduce_sum(self, x: SymbolicTensor) -> SymbolicTensor:
        """Sum all elements (reduceSum).

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of shape ().

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.reduce_sum(g.constant([3, 4]))).tolist()
        7.0
        """
        inputs = self._inputs("reduce_sum", x=x)
        return self._operation("ReduceSum", inputs, (), operations.reduce_sum)

    # --- shapes ---------------------------------------------------------------------------------

    def reshape(self, x: SymbolicTensor, shape: ShapeLike) -> SymbolicTensor:
        """Reshape a tensor; elements keep their order.

        Args:
            x: Tensor of any shape.
            shape: New shape with the same number of elements.

        Returns:
            Symbolic tensor of that shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.reshape(g.placeholder("x", [2, 3]), [6]).shape
        (6,)
        """
        inputs = self._inputs("reshape", x=x)
        new = shapes.reshaped(x, a_shape("reshape", shape))
        return self._operation("Reshape", inputs, new, operations.reshape, shape=new)

    def concat1d(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Concatenate two vectors.

        Args:
            x1: Vector (m,).
            x2: Vector (n,).

        Returns:
            Symbolic tensor of shape (m + n,).

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.concat1d(g.constant([1]), g.constant([2, 3]))).tolist()
        [1.0, 2.0, 3.0]
        """
        return self._concat(x1, x2, 1, 0)

    def concat2d(self, x1: SymbolicTensor, x2: SymbolicTensor, axis: int) -> SymbolicTensor:
        """Concatenate two tensors of two axes.

        Args:
            x1: First tensor.
            x2: Second tensor; it may differ from x1 in length along `axis` only.
            axis: Axis to join along, 0 or 1.

        Returns:
            Symbolic tensor of two axes.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> g.concat2d(g.constant([[1, 2]]), g.constant([[3]]), 1).shape
        (1, 3)
        """
        return self._concat(x1, x2, 2, axis)

    def concat3d(self, x1: SymbolicTensor, x2: SymbolicTensor, axis: int) -> SymbolicTensor:
        """Concatenate two tensors of three axes.

        Args:
            x1: First tensor.
            x2: Second tensor; it may differ from x1 in length along `axis` only.
            axis: Axis to join along, 0 to 2.

        Returns:
            Symbolic tensor of three axes.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.placeholder("x", [2, 3, 4])
        >>> g.concat3d(x, x, 2).shape
        (2, 3, 8)
        """
        return self._concat(x1, x2, 3, axis)

    def concat4d(self, x1: SymbolicTensor, x2: SymbolicTensor, axis: int) -> SymbolicTensor:
        """Concatenate two tensors of four axes.

        Args:
            x1: First tensor.
            x2: Second tensor; it may differ from x1 in length along `axis` only.
            axis: Axis to join along, 0 to 3.

        Returns:
            Symbolic tensor of four axes.

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
        """Compute the 2-d cross-correlation of an image, plus a bias per output channel.

        The windows must fill the padded image exactly.

        Args:
            x: Image (rows, columns, channels).
            w: Kernel (field_size, field_size, channels, output_depth).
            b: Bias (output_depth,).
            field_size: Side of the square windows in pixels.
            output_depth: Number of output channels.
            stride: Distance between windows in pixels; default 1.
            zero_pad: Zeros added on each side of the image. None (default) keeps the number of
                rows: floor((rows * (stride - 1) - stride + field_size) / 2).

        Returns:
            Symbolic tensor of shape (rows', columns', output_depth), where rows' is
            (rows + 2 * zero_pad - field_size) / stride + 1.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> w, b = g.variable("w", pt.ones((3, 3, 1, 2))), g.variable("b", pt.zeros(2))
        >>> g.conv2d(g.placeholder("x", [8, 8, 1]), w, b, 3, 2).shape
        (8, 8, 2)
        """
        inputs = self._inputs("conv2d", x=x, w=w, b=b)
        if (len(x.shape), len(b.shape)) != (3, 1):
            advice = "pass (rows, columns, channels) and (output_depth,)"
            raise shapes.wrong("conv2d", "image must have three axes and bias one", advice, x, b)
        kernel = (field_size, field_size, x.shape[2], output_depth)
        if w.shape != kernel or b.shape != (output_depth,):
            advice = f"for {x!r} give shapes {kernel} and {(output_depth,)}"
            raise shapes.wrong("conv2d", "weights or bias have the wrong shape", advice, w, b)
        shape = shapes.windowed("conv2d", x, field_size, output_depth, stride, zero_pad)
        return self._operation(
            "Convolution 2D",
            inputs,
            shape.shape,
            operations.conv2d,
            stride=shape.stride,
            zero_pad=shape.zero_pad,
        )

    def max_pool(
        self, x: SymbolicTensor, field_size: int, stride: int = 1, zero_pad: int | None = None
    ) -> SymbolicTensor:
        """Take the maximum of each square window of each channel (maxPool).

        The windows must fill the padded image exactly. Padding is never the maximum.

        Args:
            x: Image (rows, columns, channels).
            field_size: Side of the windows in pixels.
            stride: Distance between windows in pixels; default 1.
            zero_pad: Padding on each side, as for `conv2d`; default None.

        Returns:
            Symbolic tensor of shape (rows', columns', channels), as for `conv2d`.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> x = g.reshape(g.constant([1, 2, 3, 4]), [2, 2, 1])
        >>> y = g.max_pool(x, 2, 2, 0)
        >>> y.shape, pt.graph.Session(g).eval(y).item()
        ((1, 1, 1), 4.0)
        """
        inputs = self._inputs("max_pool", x=x)
        if len(x.shape) != 3:
            advice = "pass (rows, columns, channels)"
            raise shapes.wrong("max_pool", "image must have three axes", advice, x)
        shape = shapes.windowed("max_pool", x, field_size, x.shape[2], stride, zero_pad)
        return self._operation(
            "Max pool",
            inputs,
            shape.shape,
            operations.max_pool,
            field_size=shape.field_size,
            stride=shape.stride,
            zero_pad=shape.zero_pad,
        )

    # --- element by element ---------------------------------------------------------------------

    def exp(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute e**x element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.exp(g.constant([0.0]))).tolist()
        [1.0]
        """
        return self._unary("exp", "Exp", x)

    def log(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute the natural logarithm element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.log(g.constant([1.0]))).tolist()
        [0.0]
        """
        return self._unary("log", "Log", x)

    def relu(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute max(x, 0) element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.relu(g.constant([3.0, -2.0]))).tolist()
        [3.0, 0.0]
        """
        return self._unary("relu", "ReLU", x)

    def leaky_relu(self, x: SymbolicTensor, alpha: float) -> SymbolicTensor:
        """Compute x if x > 0, otherwise alpha * x, element by element (leakyRelu).

        Args:
            x: Tensor of any shape.
            alpha: Slope for negative elements, a number.

        Returns:
            Symbolic tensor of x's shape.

        Raises:
            ArgumentError: If `alpha` is a tensor; use `prelu`.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.leaky_relu(g.constant([3.0, -2.0]), 0.5)).tolist()
        [3.0, -1.0]
        """
        inputs = self._inputs("leaky_relu", x=x)
        if isinstance(alpha, SymbolicTensor):
            raise ArgumentError(f"leaky_relu: alpha must be a number; got {alpha!r}; use prelu")
        return self._operation(
            "LeakyReLU", inputs, x.shape, operations.leaky_relu, alpha=float(alpha)
        )

    def prelu(self, x: SymbolicTensor, alpha: SymbolicTensor) -> SymbolicTensor:
        """Compute x if x > 0, otherwise alpha * x, element by element.

        Unlike in deeplearn.js, alpha has a gradient.

        Args:
            x: Tensor of any shape.
            alpha: Slopes for negative elements, of x's shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.prelu(g.constant([-2.0]), g.constant([0.5]))).tolist()
        [-1.0]
        """
        inputs = self._inputs("prelu", x=x, alpha=alpha)
        shape = shapes.equal("prelu", x, alpha)
        return self._operation("PReLU", inputs, shape, operations.prelu)

    def elu(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute x if x >= 0, otherwise exp(x) - 1, element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.elu(g.constant([3.0, 0.0]))).tolist()
        [3.0, 0.0]
        """
        return self._unary("elu", "Elu", x, operations.elu)

    def tanh(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute the hyperbolic tangent element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.tanh(g.constant([0.0]))).tolist()
        [0.0]
        """
        return self._unary("tanh", "TanH", x)

    def sigmoid(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute 1 / (1 + exp(-x)) element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.sigmoid(g.constant([0.0]))).tolist()
        [0.5]
        """
        return self._unary("sigmoid", "Sigmoid", x)

    def square(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute x * x element by element.

        Args:
            x: Tensor of any shape.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.square(g.constant([3.0]))).tolist()
        [9.0]
        """
        return self._unary("square", "Square", x)

    # --- probabilities and costs ----------------------------------------------------------------

    def softmax(self, x: SymbolicTensor) -> SymbolicTensor:
        """Compute exp(x) / sum(exp(x)).

        Args:
            x: Vector of at least two elements.

        Returns:
            Symbolic tensor of x's shape.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.softmax(g.constant([0.0, 0.0]))).tolist()
        [0.5, 0.5]
        """
        inputs = self._inputs("softmax", x=x)
        if len(x.shape) != 1 or x.size < 2:
            advice = "use one axis of at least 2 elements"
            raise shapes.wrong(
                "softmax", "input must be a vector of at least 2 elements", advice, x
            )
        return self._operation("Softmax", inputs, x.shape, operations.softmax)

    def softmax_cross_entropy_cost(
        self, x: SymbolicTensor, target: SymbolicTensor
    ) -> SymbolicTensor:
        """Compute -sum(target * log(softmax(x) + 1e-5)) (softmaxCrossEntropyCost).

        As in deeplearn.js, the gradient with respect to x is softmax(x) - target. The target
        has none.

        Args:
            x: Logits.
            target: Probabilities, of x's shape.

        Returns:
            Symbolic tensor of shape ().

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> cost = g.softmax_cross_entropy_cost(g.constant([1, 1]), g.constant([1, 0]))
        >>> round(pt.graph.Session(g).eval(cost).item(), 3)
        0.693
        """
        inputs = self._inputs("softmax_cross_entropy_cost", x=x, target=target)
        shape = shapes.equal("softmax_cross_entropy_cost", x, target)
        if not shape or not shape[-1]:
            advice = "use at least one"
            raise shapes.wrong(
                "softmax_cross_entropy_cost", "there must be at least one class", advice, x
            )
        return self._operation(
            "SoftmaxCrossEntropyCost", inputs, (), operations.softmax_cross_entropy_cost
        )

    def mean_squared_cost(
        self, label: SymbolicTensor, prediction: SymbolicTensor
    ) -> SymbolicTensor:
        """Compute half the mean of (label - prediction)**2 (meanSquaredCost).

        As in deeplearn.js, the gradient with respect to the prediction is prediction - label, which
        is not divided by the number of elements.

        Args:
            label: Wanted values.
            prediction: Predicted values, of the label's shape.

        Returns:
            Symbolic tensor of shape ().

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
            raise shapes.wrong("mean_squared_cost", "tensor must not be empty", advice, label)
        return self._operation("Mean Squared Cost", inputs, (), operations.mean_squared_cost)

    def argmax(self, x: SymbolicTensor) -> SymbolicTensor:
        """Find the index of the largest element in flattened order. It has no gradient.

        Args:
            x: Tensor with at least one element.

        Returns:
            Symbolic tensor of shape (); its value is int32.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> pt.graph.Session(g).eval(g.argmax(g.constant([0.1, 0.9]))).tolist()
        1
        """
        inputs = self._inputs("argmax", x=x)
        self._need_elements("argmax", x)
        return self._operation("ArgMax", inputs, (), operations.argmax, has_gradient=False)

    def argmax_equals(self, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor:
        """Test if two tensors are largest at the same index (argmaxEquals). It has no gradient.

        Args:
            x1: Tensor with at least one element.
            x2: Tensor of x1's shape.

        Returns:
            Symbolic tensor of shape (); its value is bool.

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

    # --- adding nodes ---------------------------------------------------------------------------

    def _unary(
        self,
        operation: str,
        name: str,
        x: SymbolicTensor,
        function: Callable[..., Tensor] | None = None,
    ) -> SymbolicTensor:
        inputs = self._inputs(operation, x=x)
        return self._operation(name, inputs, x.shape, function or getattr(elementwise, operation))

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
            name,
            inputs,
            shape,
            operations.binary,
            function=getattr(elementwise, operation),
            shape=shape,
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
            raise ShapeError(
                f"{operation}: tensor must not be empty; got {x!r}; use at least one element"
            )


class GraphLayers:
    """Layers that create their own variables; `graph.layers` returns it.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.layers.dense("layer", g.placeholder("x", [3]), 4).shape
    (4,)
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def dense(
        self,
        name: str,
        x: SymbolicTensor,
        units: int,
        activation: Callable[[SymbolicTensor], SymbolicTensor] | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
    ) -> SymbolicTensor:
        """Add a fully connected layer: activation(x @ weights + bias).

        It creates the variables f"{name}-weights", of shape (n, units), and f"{name}-bias", of
        shape (units,).

        Args:
            name: Prefix of the variables' names.
            x: Vector of shape (n,).
            units: Number of outputs.
            activation: Function of a symbolic tensor that returns one; None (default) for none.
            use_bias: Add a bias; default True.
            kernel_initializer: Initial weights; None (default) for `VarianceScalingInitializer()`.
            bias_initializer: Initial bias; None (default) for `ZerosInitializer()`.

        Returns:
            Symbolic tensor of shape (units,).

        Raises:
            ShapeError: If x is not a vector.
            ArgumentError: If x is not a tensor of this graph.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> y = g.layers.dense("layer", g.placeholder("x", [3]), 4, g.relu)
        >>> y.shape, [node.name for node in g.get_nodes()][1:3]
        ((4,), ['layer-weights', 'MatMul'])
        """
        g = self._graph
        tensor_of("dense", g, x)
        if len(x.shape) != 1:
            raise ShapeError(f"dense: input must be a vector; got {x!r}; reshape it to one axis")
        length = x.shape[0]
        kernel = (kernel_initializer or VarianceScalingInitializer()).initialize(
            (length, units), length, units
        )
        result = g.matmul(x, g.variable(f"{name}-weights", kernel))
        if use_bias:
            bias = (bias_initializer or ZerosInitializer()).initialize((units,), length, units)
            result = g.add(result, g.variable(f"{name}-bias", bias))
        return result if activation is None else activation(result)
