"""Dense and embedding layers, and the PReLU activation."""

from __future__ import annotations

from ... import random
from ...dtypes import float32
from ...functions.arguments import integer, number
from ...tensor import Tensor
from ...typing import ArrayLike, DTypeLike, ShapeLike
from ..activations import prelu
from ..embedding import embedding
from ..initializers import InitializerFunction, glorot_uniform, initial, initial_bias, zeros
from ..module import Module, static_field
from ..split_matrix import in_blocks


class Dense(Module):
    """Compute x @ weight + bias over the last axis.

    Calling the layer takes a tensor of shape (..., inputs) and returns one of shape (..., outputs).
    `weight` has shape (self.inputs, self.outputs); `bias` has shape (outputs,) or is None. `weight`
    is a `SplitMatrix` of blocks of outputs if the GPU cannot store it as one tensor; then the
    initializer is called for each block.

    Args:
        inputs: Number of input features.
        outputs: Number of output features.
        bias: Add a bias; default True.
        weight_init: Initializer of the weight; default `initializers.glorot_uniform`.
        bias_init: Initializer of the bias; default `initializers.zeros`.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: In a call, if the input has another number of features.

    >>> import py_tensor as pt
    >>> layer = pt.nn.Dense(3, 2, weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[1.0, 2.0, 3.0]])).tolist()
    [[6.0, 6.0]]
    """

    inputs: int = static_field()
    outputs: int = static_field()
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        bias: bool = True,
        weight_init: InitializerFunction = glorot_uniform,
        bias_init: InitializerFunction = zeros,
        dtype: DTypeLike = float32,
    ) -> None:
        name = type(self).__name__
        self.inputs = integer(name, "inputs", inputs, 0)
        self.outputs = integer(name, "outputs", outputs, 0)
        shape = (self.inputs, self.outputs)

        def outputs_of(first: int, last: int) -> Tensor:
            return initial(name, weight_init, (self.inputs, last - first), dtype, shape)

        weight = in_blocks(outputs_of, 0, self.outputs)
        if not isinstance(weight, Tensor):
            weight = weight.with_blocks(lambda block: block.mT).T
        self.weight = weight
        self.bias = initial_bias(name, bias, bias_init, self.outputs, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        result = x @ self.weight
        return result if self.bias is None else result + self.bias

    def facts(self) -> str:
        return f"{self.inputs} -> {self.outputs}"


def dtype_of(layer: Dense) -> DTypeLike:
    """Return the dtype in which a layer computes: that of its weight, if it is not packed."""
    return layer.weight.dtype if isinstance(layer.weight, Tensor) else float32


def _small_uniform(shape: ShapeLike, *, dtype: DTypeLike = float32) -> Tensor:
    return random.uniform(shape, low=-0.05, high=0.05, dtype=dtype)


class Embedding(Module):
    """Look up a learned vector for each integer of 0 .. rows - 1.

    Calling the layer takes integers of any shape and returns a tensor of shape (..., features).
    `weight` has shape (self.rows, self.features). It is a `SplitMatrix` if the GPU cannot store it
    as one tensor; then the initializer is called for each block.

    Args:
        rows: Number of vectors.
        features: Length of the vectors.
        weight_init: Initializer of the weight; by default uniform in +-0.05, as in TensorFlow.js.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        DTypeError: In a call, if the input is not integers.

    >>> import py_tensor as pt
    >>> pt.nn.Embedding(100, 8)(pt.asarray([[3, 1, 4]])).shape
    (1, 3, 8)
    >>> layer = pt.nn.Embedding(3, 2, weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([2, 0])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """

    rows: int = static_field()
    features: int = static_field()
    weight: Tensor

    def __init__(
        self,
        rows: int,
        features: int,
        *,
        weight_init: InitializerFunction = _small_uniform,
        dtype: DTypeLike = float32,
    ) -> None:
        self.rows = integer("Embedding", "rows", rows, 0)
        self.features = integer("Embedding", "features", features, 0)
        name = type(self).__name__

        def rows_of(first: int, last: int) -> Tensor:
            return initial(name, weight_init, (last - first, self.features), dtype)

        self.weight = in_blocks(rows_of, 0, self.rows)

    def forward(self, x: ArrayLike, *, training: bool = False) -> Tensor:
        # A packed table has the method of its own.
        if not isinstance(self.weight, Tensor):
            return self.weight.take(x)
        return embedding(x, self.weight)

    def attend(self, x: Tensor) -> Tensor:
        """Compute x @ weight.mT: logits of a model whose last layer shares the table.

        Source: Press and Wolf 2016, arXiv:1608.05859.

        Args:
            x: Tensor of shape (..., features).

        Returns:
            Tensor of shape (..., rows).

        Raises:
            ShapeError: If the input has another number of features.

        >>> import py_tensor as pt
        >>> pt.nn.Embedding(100, 8).attend(pt.ones((2, 8))).shape
        (2, 100)
        """
        return x @ self.weight.T

    def facts(self) -> str:
        return f"{self.rows} rows of {self.features}"


class PReLU(Module):
    """Apply `prelu` with a learned slope for each channel.

    Calling the layer takes a tensor of shape (..., channels) and a floating dtype, and returns one
    of the same shape.

    Args:
        channels: Number of channels.
        alpha: First value of the slopes; default 0.25.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: In a call, if the input has another number of channels.

    >>> import py_tensor as pt
    >>> pt.nn.PReLU(2)(pt.asarray([[-4.0, 4.0]])).tolist()
    [[-1.0, 4.0]]
    """

    channels: int = static_field()
    alpha: Tensor

    def __init__(self, channels: int, *, alpha: float = 0.25, dtype: DTypeLike = float32) -> None:
        self.channels = integer("PReLU", "channels", channels, 0)
        self.alpha = zeros((self.channels,), dtype=dtype) + number("PReLU", "alpha", alpha)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return prelu(x, self.alpha)

    def facts(self) -> str:
        return str(self.channels)
