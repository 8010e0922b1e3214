"""Truncation and padding of encodings."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import ArgumentError
from .encoding import Encoding, added, joined, part
from .parts import Part, malformed


class Truncation(NamedTuple):
    """Largest number of tokens, and which tokens are left out of longer texts."""

    max_length: int
    strategy: str = "LongestFirst"
    side: str = "Right"


def truncation_of(data: Any) -> Truncation | None:
    """Return the truncation of a file."""
    if data is None:
        return None
    if not isinstance(data, dict):
        raise malformed("truncation must be an object", f"{data!r:.60}")
    fields = Part("truncation", data)
    return Truncation(
        fields.get("max_length", int),
        fields.choice("strategy", ("LongestFirst", "OnlyFirst", "OnlySecond"), "LongestFirst"),
        fields.choice("direction", ("Left", "Right"), "Right"),
    )


def truncated(
    encodings: list[Encoding], limit: Truncation, added_tokens: int, operation: str
) -> list[Encoding]:
    """Return encodings of one or two texts that have room for tokens to be added."""
    most = max(limit.max_length - added_tokens, 0)
    sizes = [len(one) for one in encodings]
    excess = sum(sizes) - most
    if excess <= 0:
        return encodings
    if most == 0:
        sizes = [0] * len(sizes)
    elif limit.strategy != "LongestFirst":
        at = int(limit.strategy == "OnlySecond")
        if at >= len(sizes) or sizes[at] <= excess:
            raise ArgumentError(
                f"{operation}: text is too short to be truncated; got {sizes} tokens for a limit "
                f"of {most} and strategy {limit.strategy}; use a larger limit"
            )
        sizes[at] -= excess
    elif len(sizes) == 1:
        sizes = [most]
    else:
        shorter = min(sizes)
        longer = shorter if shorter > most else max(shorter, most - shorter)
        if shorter + longer > most:
            shorter, longer = most // 2, most // 2 + most % 2
        sizes = [longer, shorter] if sizes[0] > sizes[1] else [shorter, longer]
    return [
        part(one, 0, size)
        if limit.side == "Right"
        else part(one, max(len(one) - size, 0), len(one))
        for one, size in zip(encodings, sizes, strict=True)
    ]


class Padding(NamedTuple):
    """Token for padding, and the length to which texts are padded."""

    id: int
    token: str
    type_id: int
    side: str = "right"
    length: int | None = None
    """None for the length of the longest text."""
    multiple: int = 1

    def applied(self, encodings: list[Encoding]) -> list[Encoding]:
        """Return encodings of the same length."""
        length = self.length
        if length is None:
            length = max(map(len, encodings), default=0)
        length = -(-length // self.multiple) * self.multiple
        return [self._padded(one, length - len(one)) for one in encodings]

    def _padded(self, encoding: Encoding, count: int) -> Encoding:
        if count <= 0:
            return encoding
        padding = added(encoding, [self.id] * count, [self.token] * count, self.type_id, mask=0)
        return joined([padding, encoding] if self.side == "left" else [encoding, padding])


def padding_of(data: Any) -> Padding | None:
    """Return the padding of a file."""
    if data is None:
        return None
    if not isinstance(data, dict):
        raise malformed("padding must be an object", f"{data!r:.60}")
    fields = Part("padding", data)
    strategy = fields.get("strategy", (str, dict), "BatchLongest")
    fixed = strategy.get("Fixed") if isinstance(strategy, dict) else None
    if strategy != "BatchLongest" and type(fixed) is not int:
        raise malformed("padding has no valid strategy", f"{strategy!r:.60}")
    return Padding(
        fields.get("pad_id", int, 0),
        fields.get("pad_token", str, "[PAD]"),
        fields.get("pad_type_id", int, 0),
        fields.choice("direction", ("Left", "Right"), "Right").lower(),
        fixed,
        max(1, fields.get("pad_to_multiple_of", int, 1)),
    )
