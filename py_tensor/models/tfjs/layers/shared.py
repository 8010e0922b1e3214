"""Names that the modules of layers share: rows of the table, weights, activations, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from .... import functions as F, nn
from ....tensor import Tensor
from ...activations import activation

type Config = Mapping[str, Any]
type Results = Tensor | tuple[Tensor, ...]

LARGEST = 1 << 16
"""Maximum size, stride and dilation of a window, number of repeats and number of steps."""


class Weight(NamedTuple):
    """One weight of a layer."""

    names: tuple[str, ...]
    """Names that versions of Keras use, without the layer's name."""
    shape: tuple[int | None, ...] | None = None
    """Expected shape; None for lengths, or for all, that depend on the input."""
    inner: str = ""
    """Name of the layer inside of the layer that has the weight, in the names of weights."""
    attribute: str = ""
    """Attribute with this inner layer, in the paths of `.keras` files."""
    trained: bool = True


def no_weights(config: Config) -> list[Weight | None]:
    return []


class MaskRule(Enum):
    """Mask of a layer's result."""

    NONE = "none"
    SAME = "mask of the first input"
    SEQUENCES = "mask of the first input if the layer returns sequences"
    MERGE = "mask of all inputs"
    CONCATENATE = "mask of Concatenate"
    EMBEDDING = "mask of Embedding"
    MASKING = "mask of Masking"
    """The last three are the names of the rows that compute the mask."""


class LayerRow(NamedTuple):
    """One layer: a row of the table."""

    function: Callable[..., Any]
    """Takes `inputs` tensors, the weights, the masks, each None if omitted, and options by name."""
    weights: Callable[[Config], list[Weight | None]] = no_weights
    """Weights for a configuration; None for one that the function takes but the layer lacks."""
    inputs: int | None = 1
    """Number of tensors; None for any number."""
    arguments: Mapping[str, int] = {}
    """Positions of inputs that may be given by name."""
    masks: int = 0
    """Number of inputs whose masks the function takes."""
    ignored: str = ""
    """Names of options that do not change results, separated by spaces."""
    mask: MaskRule = MaskRule.NONE
    """Mask of the result."""


def check_size(*sizes: int | Sequence[Any]) -> None:
    """Raise ValueError if a size is not a whole number, or too large."""
    for size in sizes:
        if isinstance(size, (list, tuple)):
            check_size(*size)
        elif type(size) is not int or not -LARGEST <= size <= LARGEST:
            raise ValueError(f"size {size!r:.40}; it must be a number of at most {LARGEST}")


def sizes_of(size: int | Sequence[int], count: int) -> tuple[int, ...]:
    """Return a size for each of `count` axes."""
    check_size(size)
    if isinstance(size, int):
        return (size,) * count
    sizes = tuple(size)
    return sizes * count if len(sizes) == 1 else sizes


def leading(mask: Tensor, x: Tensor) -> Tensor:
    """Return a mask with as many axes as `x`."""
    return mask.astype("bool").reshape((*mask.shape, *(1,) * (x.ndim - mask.ndim)))


def softmax(x: Tensor, axis: int | Sequence[int] = -1) -> Tensor:
    if isinstance(axis, int):
        return F.softmax(x, axis=axis)
    return F.exp(x - nn.logsumexp(x, axis=tuple(axis), keepdims=True))


_NAMES = """
    celu elu exponential gelu glu hard_shrink hard_swish hard_tanh leaky_relu linear log_sigmoid
    log_softmax mish relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus
    sparsemax squareplus swish tanh tanh_shrink"""
ACTIVATIONS: dict[str, Callable[..., Tensor]] = {
    **{name: activation(name) for name in _NAMES.split()},
    "gelu_new": activation("gelu", approximate=True),
    "hard_sigmoid": nn.hard_sigmoid,
    "hard_sigmoid of Keras 2": activation("hard_sigmoid"),
    "hard_silu": activation("hard_swish"),
    "sparse_sigmoid": activation("hard_sigmoid", alpha=0.5),
    "threshold": activation("thresholded_relu", alpha=0.0),
}
"""Functions of `activation` by name."""


def activated(x: Tensor, activation: str) -> Tensor:
    return ACTIVATIONS[activation](x)


def biased(x: Tensor, bias: Tensor | None, activation: str) -> Tensor:
    """Add a bias and apply an activation."""
    return activated(x if bias is None else x + bias, activation)


def bias_of(config: Config, *shape: int | None) -> Weight | None:
    return Weight(("bias",), shape) if config.get("use_bias", True) else None
