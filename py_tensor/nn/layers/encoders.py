"""Encoders of texts and images: the models of BERT, ViT and CLIP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ... import functions as F
from ...dtypes import float32, int32, wrong_type
from ...errors import ArgumentError, ShapeError
from ...functions.arguments import choice, flag, function_of, integer
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike, DTypeLike
from ..activations import gelu
from ..initializers import zeros
from ..module import Module, static_field
from .convolution import Conv2D
from .linear import Dense, Embedding
from .normalization import LayerNorm
from .transformer import TransformerEncoderLayer

POOLING = ("first", "mean", "max", "last", "end")


@dataclass(frozen=True)
class EncoderOptions:
    """Sizes and options of the blocks of an encoder.

    The defaults are those of BERT. ViT and CLIP have `norm_first`.

    Args:
        features: Number of features of each position.
        layers: Number of blocks.
        heads: Number of heads, a divisor of `features`.
        hidden: Number of features between the dense layers of a network.
        activation: Function between the dense layers; default gelu.
        norm_first: Normalize before attention and network instead of after the sums; default False.
        epsilon: Number added to the variance in `LayerNorm`; default 1e-12.
        dropout: Rate of dropout in training; default 0.0.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ArgumentError: If the number of layers is negative.

    >>> import py_tensor as pt
    >>> pt.nn.EncoderOptions(16, 2, 4, 32).norm_first
    False
    """

    features: int
    layers: int
    heads: int
    hidden: int
    activation: Callable[[Any], Any] = gelu
    norm_first: bool = False
    epsilon: float = 1e-12
    dropout: float = 0.0
    dtype: DTypeLike = float32

    def __post_init__(self) -> None:
        integer("EncoderOptions", "layers", self.layers, 0)

    def layer[T: Module](self, kind: Callable[..., T]) -> T:
        """Return a layer with these options.

        Args:
            kind: `TransformerEncoderLayer` or `TransformerDecoderLayer`.

        Returns:
            Layer of this kind.

        >>> import py_tensor as pt
        >>> options = pt.nn.EncoderOptions(16, 2, 4, 32)
        >>> options.layer(pt.nn.TransformerEncoderLayer).facts()
        '16, 4 heads'
        """
        return kind(
            self.features,
            self.heads,
            hidden=self.hidden,
            dropout=self.dropout,
            activation=self.activation,
            norm_first=self.norm_first,
            epsilon=self.epsilon,
            dtype=self.dtype,
        )

    def normalization(self) -> LayerNorm:
        """Return a normalization of the features.

        Returns:
            `LayerNorm`.

        >>> import py_tensor as pt
        >>> pt.nn.EncoderOptions(16, 2, 4, 32).normalization()
        LayerNorm(16)
        """
        return LayerNorm(self.features, epsilon=self.epsilon, dtype=self.dtype)


def check_options(operation: str, options: Any) -> None:
    """Raise ArgumentTypeError if options are not those of an encoder."""
    if not isinstance(options, EncoderOptions):
        raise wrong_type(operation, "options", "an EncoderOptions", options)


def check_positions(operation: str, count: int, most: int) -> None:
    """Raise ShapeError if there are more positions than the model has."""
    if count > most:
        raise ShapeError(
            f"{operation}: sequence is too long; got {count} positions for a model with {most}; "
            "pass a part of it"
        )


class _Encoder(Module):
    """Blocks, and what is computed of their result."""

    blocks: tuple[TransformerEncoderLayer, ...]
    norm: LayerNorm | None
    projection: Dense | None
    pooler: Dense | None
    classifier: Dense | None
    options: EncoderOptions = static_field()
    pooler_activation: Callable[[Any], Any] | None = static_field()

    def _add_parts(
        self,
        options: EncoderOptions,
        projected: int,
        classes: int,
        pooler: Callable[[Any], Any] | None,
    ) -> None:
        name = type(self).__name__
        self.options = options
        self.blocks = tuple(options.layer(TransformerEncoderLayer) for _ in range(options.layers))
        self.norm = options.normalization() if options.norm_first else None
        dense = partial(Dense, options.features, dtype=options.dtype)
        projected = integer(name, "projected", projected, 0)
        self.projection = dense(projected, bias=False) if projected else None
        self.pooler_activation = None if pooler is None else function_of(name, "pooler", pooler)
        self.pooler = None if pooler is None else dense(options.features)
        classes = integer(name, "classes", classes, 0)
        self.classifier = dense(classes) if classes else None

    def _encoded(self, x: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
        for block in self.blocks:
            x = block(x, mask=mask, causal=causal)
        return x if self.norm is None else self.norm(x)

    def _projected(self, pooled: Tensor) -> Tensor:
        return pooled if self.projection is None else self.projection(pooled)

    def _classified(self, x: Tensor) -> Tensor:
        if self.classifier is None:
            raise ArgumentError(
                f"{type(self).__name__}: model has no classifier; got a model of 0 classes; make "
                "it with classes=..., or load a model for classification"
            )
        if self.pooler is not None and self.pooler_activation is not None:
            x = self.pooler_activation(self.pooler(x))
        result: Tensor = self.classifier(x)
        return result


class TextEncoder(_Encoder):
    """Encode texts: the model of BERT, DistilBERT, RoBERTa and of CLIP's texts.

    Source: Devlin et al. 2018, arXiv:1810.04805. Calling the model takes integer tokens of shape
    (batch, length). Optional are `mask`, of the same shape, 0 or False for padding, and `types`,
    integers of the same shape, the segment of each token, 0 by default. The call returns a tensor
    of shape (batch, length, features).

    Args:
        options: Sizes and options of the blocks.
        vocabulary: Number of tokens.
        positions: Number of learned positions, the largest length.
        types: Number of token types; default 0 for none.
        padding: Token of padding in models that number the other tokens from padding + 1, as
            RoBERTa; None (default) to number all from 0.
        embedding_norm: Normalize the embedded tokens; default True.
        causal: Attend to earlier tokens only; default False.
        pooling: Vector of a text that `embed` returns: that of the "first" token, the "mean"
            (default) or "max" of all, that of the "last" one, or of the first one that is `end`.
        end: Token at the end of texts for pooling="end"; None (default) for the largest token.
        normalize: Divide the vectors of `embed` by their length; default False.
        projected: Number of features of a projection in `embed`; default 0 for none.
        classes: Number of classes for `classify`; default 0 for none.
        each: Classify each token instead of the first; default False.
        pooler: Function after a dense layer before the classifier; None (default) for no layer.

    Raises:
        ArgumentError: If a choice is unknown.
        ShapeError: If `heads` does not divide `features`; in a call, if there are too many tokens.
        DTypeError: In a call, if tokens are not integers.

    >>> import py_tensor as pt
    >>> model = pt.nn.TextEncoder(pt.nn.EncoderOptions(16, 2, 4, 32), 100, 64)
    >>> model([[3, 1, 4], [1, 5, 0]], mask=[[1, 1, 1], [1, 1, 0]]).shape
    (2, 3, 16)
    """

    embedding: Embedding
    positions: Embedding
    types: Embedding | None
    embedding_norm: LayerNorm | None
    padding: int | None = static_field()
    causal: bool = static_field()
    pooling: str = static_field()
    end: int | None = static_field()
    normalize: bool = static_field()
    each: bool = static_field()

    def __init__(
        self,
        options: EncoderOptions,
        vocabulary: int,
        positions: int,
        *,
        types: int = 0,
        padding: int | None = None,
        embedding_norm: bool = True,
        causal: bool = False,
        pooling: str = "mean",
        end: int | None = None,
        normalize: bool = False,
        projected: int = 0,
        classes: int = 0,
        each: bool = False,
        pooler: Callable[[Any], Any] | None = None,
    ) -> None:
        name = "TextEncoder"
        check_options(name, options)
        embedding = partial(Embedding, features=options.features, dtype=options.dtype)
        self.padding = None if padding is None else integer(name, "padding", padding, 0)
        self.embedding = embedding(integer(name, "vocabulary", vocabulary, 0))
        unused = 0 if self.padding is None else self.padding + 1
        self.positions = embedding(integer(name, "positions", positions, 0) + unused)
        types = integer(name, "types", types, 0)
        self.types = embedding(types) if types else None
        has_norm = flag(name, "embedding_norm", embedding_norm)
        self.embedding_norm = options.normalization() if has_norm else None
        self.causal = flag(name, "causal", causal)
        self.pooling = choice(name, "pooling", pooling, POOLING)
        self.end = None if end is None else integer(name, "end", end, 0)
        self.normalize, self.each = flag(name, "normalize", normalize), flag(name, "each", each)
        self._add_parts(options, projected, classes, pooler)

    def forward(
        self,
        tokens: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        types: ArrayLike | None = None,
        training: bool = False,
    ) -> Tensor:
        tokens = as_tensor("TextEncoder", tokens)
        if tokens.ndim != 2:
            raise ShapeError(
                f"TextEncoder: tokens must have 2 axes; got shape {tokens.shape}; pass (batch, "
                "length)"
            )
        x = self.embedding(tokens) + self.positions(self._places(tokens))
        if self.types is not None:
            x = x + self.types(0 * tokens if types is None else types)
        if self.embedding_norm is not None:
            x = self.embedding_norm(x)
        return self._encoded(x, None if mask is None else _mask(mask)[:, None, None], self.causal)

    def _places(self, tokens: Tensor) -> Tensor:
        unused = 0 if self.padding is None else self.padding + 1
        check_positions("TextEncoder", tokens.shape[1], self.positions.rows - unused)
        if self.padding is None:
            return F.arange(tokens.shape[1], dtype=int32)
        is_token = (tokens != self.padding).astype(int32)
        return F.cumulative_sum(is_token, axis=1) * is_token + self.padding

    def embed(
        self, tokens: ArrayLike, *, mask: ArrayLike | None = None, types: ArrayLike | None = None
    ) -> Tensor:
        """Return a vector for each text, by `pooling`, `projected` and `normalize`.

        Args:
            tokens: Integers of shape (batch, length).
            mask: Tensor of this shape, 0 or False for padding; None (default) for no padding.
            types: Integers of this shape; None (default) for 0.

        Returns:
            Tensor of shape (batch, features), or (batch, projected).

        Raises:
            ShapeError: If there are too many tokens.
            DTypeError: If tokens are not integers.

        >>> import py_tensor as pt
        >>> model = pt.nn.TextEncoder(pt.nn.EncoderOptions(16, 2, 4, 32), 100, 64)
        >>> model.embed([[3, 1, 4]]).shape
        (1, 16)
        """
        tokens = as_tensor("embed", tokens)
        x = self(tokens, mask=mask, types=types)
        is_token = (tokens == tokens) if mask is None else _mask(mask)
        vector = self._projected(pooled(self.pooling, x, tokens, is_token, self.end))
        return unit(vector) if self.normalize else vector

    def classify(
        self, tokens: ArrayLike, *, mask: ArrayLike | None = None, types: ArrayLike | None = None
    ) -> Tensor:
        """Return the logits of classes, for each text or each token.

        Args:
            tokens: Integers of shape (batch, length).
            mask: Tensor of this shape, 0 or False for padding; None (default) for no padding.
            types: Integers of this shape; None (default) for 0.

        Returns:
            Tensor of shape (batch, classes), or (batch, length, classes) with `each`.

        Raises:
            ArgumentError: If the model has no classifier.
            ShapeError: If there are too many tokens.
            DTypeError: If tokens are not integers.

        >>> import py_tensor as pt
        >>> model = pt.nn.TextEncoder(pt.nn.EncoderOptions(16, 2, 4, 32), 100, 64, classes=3)
        >>> model.classify([[3, 1, 4]]).shape
        (1, 3)
        """
        x = self(tokens, mask=mask, types=types)
        return self._classified(x if self.each else x[:, 0])

    def facts(self) -> str:
        own = self.options
        return f"{self.embedding.rows} tokens, {own.layers} blocks of {own.features}"


def _mask(mask: ArrayLike) -> Tensor:
    return as_tensor("TextEncoder", mask) != 0


def pooled(kind: str, x: Tensor, tokens: Tensor, is_token: Tensor, end: int | None) -> Tensor:
    """Return a vector for each text from those of its tokens, by a kind of `TextEncoder`."""
    if kind == "first":
        return x[:, 0]
    if kind == "max":
        return F.where(is_token[..., None], x, -float("inf")).max(axis=1)
    if kind == "mean":
        shares = is_token.astype(x.dtype)[..., None]
        return (x * shares).sum(axis=1) / F.maximum(shares.sum(axis=1), 1e-9)
    if kind == "last":
        key = F.where(is_token, F.arange(tokens.shape[1], dtype=int32), 0)
    else:
        key = tokens if end is None else (tokens == end).astype(int32)
    place = F.argmax(key, axis=1, keepdims=True)
    return F.take_along_axis(x, place[..., None], axis=1)[:, 0]


def unit(x: Tensor) -> Tensor:
    """Divide vectors by their length."""
    length = (x * x).sum(axis=-1, keepdims=True).sqrt()
    return x / F.maximum(length, 1e-12)


class VisionEncoder(_Encoder):
    """Encode images by patches: the model of ViT and of CLIP's images.

    Source: Dosovitskiy et al. 2020, arXiv:2010.11929. Calling the model takes images of shape
    (batch, image_size, image_size, channels), whose values are normalized as those of training. It
    returns a tensor of shape (batch, 1 + patches, features): of a learned first position, and of
    each patch.

    Args:
        options: Sizes and options of the blocks.
        image_size: Height and width of images.
        patch: Height and width of a patch, a divisor of `image_size`.
        channels: Number of channels; default 3.
        patch_bias: Add a bias to embedded patches; default True.
        embedding_norm: Normalize the embedded patches, as CLIP does; default False.
        projected: Number of features of a projection in `embed`; default 0 for none.
        classes: Number of classes for `classify`; default 0 for none.

    Raises:
        ArgumentError: If a number is out of range.
        ShapeError: If `heads` does not divide `features`, or `patch` the image; in a call, if
            images have another size.

    >>> import py_tensor as pt
    >>> options = pt.nn.EncoderOptions(16, 2, 4, 32, norm_first=True)
    >>> model = pt.nn.VisionEncoder(options, 32, 8, classes=10)
    >>> model(pt.ones((1, 32, 32, 3))).shape
    (1, 17, 16)
    """

    patches: Conv2D
    first: Tensor
    positions: Embedding
    embedding_norm: LayerNorm | None
    image_size: int = static_field()
    channels: int = static_field()

    def __init__(
        self,
        options: EncoderOptions,
        image_size: int,
        patch: int,
        *,
        channels: int = 3,
        patch_bias: bool = True,
        embedding_norm: bool = False,
        projected: int = 0,
        classes: int = 0,
    ) -> None:
        name = "VisionEncoder"
        check_options(name, options)
        size = self.image_size = integer(name, "image_size", image_size, 1)
        self.channels = integer(name, "channels", channels, 1)
        patch = integer(name, "patch", patch, 1)
        if size % patch:
            raise ShapeError(
                f"{name}: patch must divide the image; got {patch} for {size}; use a divisor"
            )
        features = options.features
        bias = flag(name, "patch_bias", patch_bias)
        convolution = partial(Conv2D, size=patch, stride=patch, bias=bias, dtype=options.dtype)
        self.patches = convolution(self.channels, features)
        self.first = zeros((features,), dtype=options.dtype)
        count = 1 + (size // patch) ** 2
        self.positions = Embedding(count, features, dtype=options.dtype)
        has_norm = flag(name, "embedding_norm", embedding_norm)
        self.embedding_norm = options.normalization() if has_norm else None
        self._add_parts(options, projected, classes, None)

    def forward(self, images: ArrayLike, *, training: bool = False) -> Tensor:
        images = as_tensor("VisionEncoder", images)
        want = (self.image_size, self.image_size, self.channels)
        if images.ndim != 4 or images.shape[1:] != want:
            raise ShapeError(
                f"VisionEncoder: images have another size; got shape {images.shape} instead of "
                f"(batch, {', '.join(map(str, want))}); resize them"
            )
        batch, features = images.shape[0], self.options.features
        patches = self.patches(images).reshape((batch, -1, features))
        first = F.broadcast_to(self.first, (batch, 1, features))
        x = F.concat([first, patches], axis=1)
        x = x + self.positions(F.arange(self.positions.rows, dtype=int32))
        if self.embedding_norm is not None:
            x = self.embedding_norm(x)
        return self._encoded(x, None, False)

    def embed(self, images: ArrayLike) -> Tensor:
        """Return a vector for each image: that of the first position, projected if `projected`.

        Args:
            images: Tensor of shape (batch, image_size, image_size, channels).

        Returns:
            Tensor of shape (batch, features), or (batch, projected).

        Raises:
            ShapeError: If images have another size.

        >>> import py_tensor as pt
        >>> options = pt.nn.EncoderOptions(16, 2, 4, 32, norm_first=True)
        >>> pt.nn.VisionEncoder(options, 32, 8).embed(pt.ones((1, 32, 32, 3))).shape
        (1, 16)
        """
        return self._projected(self(images)[:, 0])

    def classify(self, images: ArrayLike) -> Tensor:
        """Return the logits of classes for each image.

        Args:
            images: Tensor of shape (batch, image_size, image_size, channels).

        Returns:
            Tensor of shape (batch, classes).

        Raises:
            ArgumentError: If the model has no classifier.
            ShapeError: If images have another size.

        >>> import py_tensor as pt
        >>> options = pt.nn.EncoderOptions(16, 2, 4, 32, norm_first=True)
        >>> model = pt.nn.VisionEncoder(options, 32, 8, classes=10)
        >>> model.classify(pt.ones((1, 32, 32, 3))).shape
        (1, 10)
        """
        return self._classified(self(images)[:, 0])

    def facts(self) -> str:
        own = self.options
        return f"{self.image_size} x {self.image_size}, {own.layers} blocks of {own.features}"


class DualEncoder(Module):
    """Compare images with texts: the model of CLIP.

    Source: Radford et al. 2021, arXiv:2103.00020. Calling the model takes images of shape (images,
    height, width, channels), integer tokens of shape (texts, length) and optionally `mask` of
    `TextEncoder`. It returns logits of shape (images, texts): cosines of the vectors of `embed`
    times exp(self.log_scale). Their softmax along the last axis has the probabilities of the texts.

    Args:
        text: Encoder of texts.
        image: Encoder of images; `embed` returns as many features as for texts.

    Raises:
        ArgumentTypeError: If an encoder is another module.
        ShapeError: In a call, if images have another size, or there are too many tokens.

    >>> import py_tensor as pt
    >>> options = pt.nn.EncoderOptions(16, 2, 4, 32, norm_first=True)
    >>> text = pt.nn.TextEncoder(options, 100, 64, causal=True, projected=8)
    >>> model = pt.nn.DualEncoder(text, pt.nn.VisionEncoder(options, 32, 8, projected=8))
    >>> model(pt.ones((1, 32, 32, 3)), [[3, 1, 4], [1, 5, 9]]).shape
    (1, 2)
    """

    text: TextEncoder
    image: VisionEncoder
    log_scale: Tensor

    def __init__(self, text: TextEncoder, image: VisionEncoder) -> None:
        if not isinstance(text, TextEncoder):
            raise wrong_type("DualEncoder", "text", "a TextEncoder", text)
        if not isinstance(image, VisionEncoder):
            raise wrong_type("DualEncoder", "image", "a VisionEncoder", image)
        self.text, self.image = text, image
        # log(1 / 0.07), the first value in training.
        self.log_scale = F.asarray(2.6592, dtype=text.options.dtype)

    def forward(
        self,
        images: ArrayLike,
        tokens: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        training: bool = False,
    ) -> Tensor:
        image = unit(self.image.embed(images))
        text = unit(self.text.embed(tokens, mask=mask))
        return image @ text.T * self.log_scale.exp()
