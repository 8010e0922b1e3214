"""Models that make vectors of texts, with their tokenizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import functions as F
from ...dtypes import float32, int32, wrong_type
from ...errors import ArgumentError, ArgumentTypeError
from ...functions.arguments import choice, flag, integer, items
from ...nn.layers.decoder import CausalDecoder
from ...nn.layers.encoders import POOLING, TextEncoder, pooled, unit
from ...tensor import Tensor
from ...transforms.jit.api import jit
from ..encoding import NUMBERS, Encoding
from ..tokenizer import Tokenizer

SHORTEST = 16
"""Smallest length to which texts are padded."""
TOKENS = 4096
"""Number of tokens of a batch, above which it has fewer texts."""
JOINED = 16
"""Number of batches whose vectors are joined at once, so that plans are shared."""


class Embedder:
    """A model that makes vectors of texts, with its tokenizer.

    `pt.text.load_embedder` makes it from files.

    Args:
        model: `pt.nn.TextEncoder` or `pt.nn.CausalDecoder`.
        tokenizer: `Tokenizer`.
        pooling: Kind of `pt.nn.TextEncoder` by which the vectors of tokens become one; None
            (default) for that of the model, which is "last" for decoders.
        normalize: Divide vectors by their length; None (default) for the choice of the model, which
            is False for decoders.
        max_length: Largest number of tokens, after which texts are cut; None (default) for that of
            the model.
        prompts: Dict of texts by name, which `embed` puts before the others; None (default) for
            none.
        default_prompt: Name of the prompt of calls that name none; None (default) for none.
        with_prompt: False to leave out the tokens of prompts in pooling; default True.

    Attributes:
        width: Number of elements of a vector.

    Raises:
        ArgumentTypeError: If the model is of another class.
        ArgumentError: If the pooling or the default prompt is unknown.

    >>> import py_tensor as pt
    >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
    >>> tokenizer = pt.text.Tokenizer({"model": {"type": "BPE", "vocab": letters, "merges": []}})
    >>> encoder = pt.nn.TextEncoder(pt.nn.EncoderOptions(16, 2, 4, 32), len(letters), 64)
    >>> model = pt.text.Embedder(encoder, tokenizer, normalize=True)
    >>> model.embed(["a bad cafe", "a face"]).shape
    (2, 16)
    """

    def __init__(
        self,
        model: TextEncoder | CausalDecoder,
        tokenizer: Tokenizer,
        *,
        pooling: str | None = None,
        normalize: bool | None = None,
        max_length: int | None = None,
        prompts: Mapping[str, str] | None = None,
        default_prompt: str | None = None,
        with_prompt: bool = True,
    ) -> None:
        if not isinstance(model, TextEncoder | CausalDecoder):
            raise wrong_type("Embedder", "model", "a TextEncoder or CausalDecoder", model)
        if not isinstance(tokenizer, Tokenizer):
            raise wrong_type("Embedder", "tokenizer", "a Tokenizer", tokenizer)
        self.model, self.tokenizer = model, tokenizer
        kind = getattr(model, "pooling", "last") if pooling is None else pooling
        self.pooling = choice("Embedder", "pooling", kind, POOLING)
        own = getattr(model, "normalize", False) if normalize is None else normalize
        self.normalize = flag("Embedder", "normalize", own)
        limits = [_positions(model), tokenizer.model_max_length]
        if max_length is not None:
            limits.append(integer("Embedder", "max_length", max_length, 1))
        self.max_length = min([limit for limit in limits if limit is not None], default=None)
        if not isinstance(prompts or {}, Mapping):
            raise wrong_type("Embedder", "prompts", "a dict", prompts)
        self.prompts = dict(prompts or {})
        self.default_prompt = default_prompt
        self.with_prompt = flag("Embedder", "with_prompt", with_prompt)
        self._prompt("Embedder", None)
        self._step = jit(_vectors, static_argnames=("pooling", "normalize", "skipped"))

    @property
    def width(self) -> int:
        """Number of elements of a vector."""
        projection = getattr(self.model, "projection", None)
        return self.model.options.features if projection is None else projection.outputs

    def embed(
        self, texts: str | Sequence[str], *, prompt: str | None = None, batch: int = 32
    ) -> Tensor:
        """Return a vector for each text.

        Texts of about the same length are computed together. Nothing is read, so that a page can
        wait for the vectors by `await vectors.data()`.

        Args:
            texts: Text, or list of texts.
            prompt: Name of the prompt to put before the texts, "" for none; None (default) for the
                default one.
            batch: Largest number of texts that are computed together; default 32.

        Returns:
            float32 tensor of shape (texts, width), or (width,) for one text.

        Raises:
            ArgumentTypeError: If a text is not a str.
            ArgumentError: If there is no such prompt.

        >>> import py_tensor as pt
        >>> letters = {letter: at for at, letter in enumerate("abcdefgh ")}
        >>> model = {"type": "BPE", "vocab": letters, "merges": []}
        >>> encoder = pt.nn.TextEncoder(pt.nn.EncoderOptions(16, 2, 4, 32), len(letters), 64)
        >>> model = pt.text.Embedder(encoder, pt.text.Tokenizer({"model": model}))
        >>> model.embed("a bad cafe").shape
        (16,)
        """
        is_list = not isinstance(texts, str)
        own = [*items("embed", "texts", texts)] if is_list else [texts]
        batch = integer("embed", "batch", batch, 1)
        before = self._prompt("embed", prompt)
        rows: list[list[int]] = []
        for text in own:
            if not isinstance(text, str):
                raise ArgumentTypeError(
                    f"embed: text must be a str; got {type(text).__name__}; convert it"
                )
            rows.append(self._encoded(before + text).ids or [0])
        if not rows:
            return F.zeros((0, self.width))
        skipped = 0 if self.with_prompt or not before else self._length_of_prompt(before)
        parts, places = self._batches(rows, batch, skipped)
        while len(parts) > 1:
            groups = [parts[at : at + JOINED] for at in range(0, len(parts), JOINED)]
            parts = [F.concat(group) if len(group) > 1 else group[0] for group in groups]
        vectors = F.take(parts[0], F.asarray(places, dtype=int32), axis=0)
        return vectors if is_list else vectors[0]

    def _prompt(self, operation: str, name: str | None) -> str:
        if name is None:
            name = self.default_prompt
        if not name and name not in self.prompts:
            return ""
        if not isinstance(name, str) or name not in self.prompts:
            known = ", ".join(map(repr, self.prompts))
            raise ArgumentError(
                f"{operation}: prompt is unknown; got {name!r:.60}; use one of {known or 'none'}"
            )
        return self.prompts[name]

    def _encoded(self, text: str) -> Encoding:
        return self.tokenizer._encoded(text, None, True, self.max_length, NUMBERS, "embed")

    def _length_of_prompt(self, text: str) -> int:
        """Return the number of tokens of a prompt, without the one at the end of a text."""
        encoding = self._encoded(text)
        return len(encoding) - sum(encoding.special_tokens_mask[-1:])

    def _batches(
        self, rows: Sequence[Sequence[int]], batch: int, skipped: int
    ) -> tuple[list[Tensor], list[int]]:
        """Return the vectors of batches, and the place of each text among these."""
        order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
        parts: list[Tensor] = []
        places = [0] * len(rows)
        first = 0
        while order:
            length = self._padded(max(len(rows[order[0]]), skipped + 1))
            count = max(min(batch, TOKENS // length), 1)
            taken, order = order[:count], order[count:]
            parts.append(self._of_batch([rows[at] for at in taken], length, skipped))
            for number, at in enumerate(taken):
                places[at] = first + number
            first += parts[-1].shape[0]
        return parts, places

    def _padded(self, length: int) -> int:
        """Return one of few lengths: powers of two, and halfway between them."""
        power = max(SHORTEST, 1 << (length - 1).bit_length())
        size = power * 3 // 4 if power > SHORTEST and length <= power * 3 // 4 else power
        return max(size if self.max_length is None else min(size, self.max_length), length)

    def _of_batch(self, rows: Sequence[Sequence[int]], length: int, skipped: int) -> Tensor:
        """Return the vectors of some texts, and of padding up to a power of two."""
        count = 1 << (len(rows) - 1).bit_length()
        padding = getattr(self.model, "padding", None) or 0
        filled = [*rows, *[rows[-1]] * (count - len(rows))]
        tokens = [[*row, *[padding] * (length - len(row))] for row in filled]
        vectors: Tensor = self._step(
            self.model,
            F.asarray(tokens, dtype=int32),
            F.asarray([len(row) for row in filled], dtype=int32),
            pooling=self.pooling,
            normalize=self.normalize,
            skipped=skipped,
        )
        return vectors


def _positions(model: TextEncoder | CausalDecoder) -> int | None:
    """Return the largest number of tokens of a model; None if there is no limit."""
    if isinstance(model, CausalDecoder):
        return model.options.positions or None
    return model.positions.rows - (0 if model.padding is None else model.padding + 1)


def _vectors(
    model: TextEncoder | CausalDecoder,
    tokens: Tensor,
    counts: Tensor,
    *,
    pooling: str,
    normalize: bool,
    skipped: int,
) -> Tensor:
    """Return the vectors of texts of some lengths; tokens at their start may be left out."""
    is_token = F.arange(tokens.shape[1], dtype=int32) < counts[:, None]
    if isinstance(model, TextEncoder):
        x, end = model(tokens, mask=is_token), model.end
    else:
        # Tokens see only earlier ones, never the padding after them.
        x, end = model.encode(tokens), None
    x = pooled(pooling, x[:, skipped:], tokens[:, skipped:], is_token[:, skipped:], end)
    if isinstance(model, TextEncoder):
        x = model._projected(x)
    x = x.astype(float32)
    return unit(x) if normalize else x
