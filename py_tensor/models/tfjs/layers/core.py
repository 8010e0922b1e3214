"""Dense layers, embeddings, activations, and layers that only train."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .... import functions as F, nn
from ....functions.data_types import lowest_stored
from ....tensor import Tensor
from ... import activations
from .shared import (
    Config,
    LayerRow,
    MaskRule,
    Weight,
    activated,
    bias_of,
    biased,
    check_size,
    leading,
    softmax,
)


def dense(x: Tensor, kernel: Tensor, bias: Tensor | None, *, activation: str = "linear") -> Tensor:
    return biased(x.astype(kernel.dtype) @ kernel, bias, activation)


def _dense_weights(config: Config) -> list[Weight | None]:
    units = config["units"]
    return [Weight(("kernel",), (None, units)), bias_of(config, units)]


def einsum_dense(
    x: Tensor,
    kernel: Tensor,
    bias: Tensor | None,
    *,
    equation: str,
    activation: str = "linear",
) -> Tensor:
    return biased(F.einsum(equation.replace(" ", ""), x, kernel), bias, activation)


def _einsum_weights(config: Config) -> list[Weight | None]:
    return [Weight(("kernel",)), Weight(("bias",)) if config.get("bias_axes") else None]


def embedding(x: Tensor, table: Tensor, *, mask_zero: bool = False) -> Tensor:
    return nn.embedding(x.astype("int32"), table)


def _embedding_weights(config: Config) -> list[Weight | None]:
    return [Weight(("embeddings",), (config["input_dim"], config["output_dim"]))]


def embedding_mask(x: Tensor) -> Tensor:
    return x != 0


def masking(x: Tensor, *, mask_value: float = 0.0) -> Tensor:
    return F.where(F.any(x != mask_value, axis=-1, keepdims=True), x, 0.0)


def masking_mask(x: Tensor, *, mask_value: float = 0.0) -> Tensor:
    return F.any(x != mask_value, axis=-1)


def identity(x: Tensor) -> Tensor:
    return x


def activation(x: Tensor, *, activation: str) -> Tensor:
    return activated(x, activation)


def relu(
    x: Tensor,
    *,
    max_value: float | None = None,
    negative_slope: float = 0.0,
    threshold: float = 0.0,
) -> Tensor:
    result = F.where(x >= threshold, x, negative_slope * (x - threshold))
    return result if max_value is None else F.where(result > max_value, max_value, result)


def leaky_relu(
    x: Tensor, *, alpha: float | None = None, negative_slope: float | None = None
) -> Tensor:
    slope = alpha if negative_slope is None else negative_slope
    return nn.leaky_relu(x, alpha=0.3 if slope is None else slope)


def thresholded_relu(x: Tensor, *, theta: float = 1.0) -> Tensor:
    return activations.thresholded_relu(x, alpha=theta)


def _prelu_weights(config: Config) -> list[Weight | None]:
    return [Weight(("alpha",))]


def softmax_layer(x: Tensor, mask: Tensor | None, *, axis: int | Sequence[int] = -1) -> Tensor:
    if mask is not None:
        x = F.where(leading(mask, x), x, max(-1e9, lowest_stored(x.dtype)))
    return softmax(x, axis)


def reshape(x: Tensor, *, target_shape: Sequence[int]) -> Tensor:
    lengths = [-1 if length is None else length for length in target_shape]
    return x.reshape((x.shape[0], *lengths))


def flatten(x: Tensor, *, data_format: str = "channels_last") -> Tensor:
    if data_format == "channels_first" and x.ndim > 2:
        x = F.moveaxis(x, 1, -1)
    return x.reshape((x.shape[0], -1))


def permute(x: Tensor, *, dims: Sequence[int]) -> Tensor:
    return F.permute_dims(x, (0, *dims))


def repeat_vector(x: Tensor, *, n: int) -> Tensor:
    check_size(n)
    return F.broadcast_to(x[:, None], (x.shape[0], n, *x.shape[1:]))


def category_encoding(
    x: Tensor,
    weights: Tensor | None = None,
    *,
    num_tokens: int,
    output_mode: str = "multi_hot",
) -> Tensor:
    check_size(num_tokens)
    x = x.astype("int32")
    if output_mode == "one_hot":
        rows = x.reshape(x.shape[:-1]) if x.ndim > 1 and x.shape[-1] == 1 else x
        return nn.one_hot(rows, num_tokens)
    hot = nn.one_hot(x, num_tokens)
    axis = -2 if x.ndim > 1 else 0
    if output_mode == "multi_hot":
        return F.max(hot, axis=axis)
    if output_mode == "count":
        return F.sum(hot if weights is None else hot * weights[..., None], axis=axis)
    raise ValueError(f"output_mode {output_mode!r}")


def rescaling(
    x: Tensor, *, scale: float | Sequence[float], offset: float | Sequence[float] = 0.0
) -> Tensor:
    factor, shift = (
        F.asarray(part, dtype="float32") if isinstance(part, list) else part
        for part in (scale, offset)
    )
    return x.astype("float32") * factor + shift


_TRAINING = "rate stddev l1 l2 noise_shape data_format seed"
_AUGMENTATION = """
    factor height_factor width_factor mode value_range fill_mode fill_value interpolation
    data_format rng_type auto_vectorize seed"""
LAYERS = {
    "Activation": LayerRow(activation, mask=MaskRule.SAME),
    **{
        name: LayerRow(identity, ignored=_TRAINING, mask=MaskRule.SAME)
        for name in (
            *("ActivityRegularization", "AlphaDropout", "Dropout", "GaussianDropout"),
            *("GaussianNoise", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
        )
    },
    "CategoryEncoding": LayerRow(
        category_encoding, inputs=2, arguments={"count_weights": 1}, ignored="sparse"
    ),
    "Dense": LayerRow(dense, _dense_weights, ignored="units", mask=MaskRule.SAME),
    "ELU": LayerRow(nn.elu, mask=MaskRule.SAME),
    "EinsumDense": LayerRow(einsum_dense, _einsum_weights, ignored="output_shape bias_axes"),
    "Embedding": LayerRow(
        embedding,
        _embedding_weights,
        ignored="input_dim output_dim",
        mask=MaskRule.EMBEDDING,
    ),
    "Flatten": LayerRow(flatten),
    "Identity": LayerRow(identity, mask=MaskRule.SAME),
    "LeakyReLU": LayerRow(leaky_relu, mask=MaskRule.SAME),
    "Masking": LayerRow(masking, mask=MaskRule.MASKING),
    "PReLU": LayerRow(nn.prelu, _prelu_weights, ignored="shared_axes", mask=MaskRule.SAME),
    "Permute": LayerRow(permute),
    **{
        f"Random{change}": LayerRow(identity, ignored=_AUGMENTATION)
        for change in (
            *("Brightness", "Contrast", "Flip", "Height"),
            *("Rotation", "Translation", "Width", "Zoom"),
        )
    },
    "ReLU": LayerRow(relu, mask=MaskRule.SAME),
    "RepeatVector": LayerRow(repeat_vector),
    "Rescaling": LayerRow(rescaling, mask=MaskRule.SAME),
    "Reshape": LayerRow(reshape),
    "Softmax": LayerRow(softmax_layer, masks=1, mask=MaskRule.SAME),
    "ThresholdedReLU": LayerRow(thresholded_relu, mask=MaskRule.SAME),
}
INTERNAL: dict[str, Callable[..., Tensor]] = {
    "mask of Embedding": embedding_mask,
    "mask of Masking": masking_mask,
}
