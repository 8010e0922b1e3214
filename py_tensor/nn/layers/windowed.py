"""Base class of convolution and pooling layers: size, stride, padding and dilation."""

from __future__ import annotations

from typing import Any, ClassVar

from ...functions.sliding_windows import explicit_padding, per_axis
from ...typing import PaddingLike, PerAxis
from ..module import Module, static_field


class Windowed(Module):
    """Layer that slides windows over images of `count` axes."""

    size: tuple[int, ...] = static_field()
    stride: tuple[int, ...] = static_field()
    padding: Any = static_field()
    dilation: tuple[int, ...] = static_field()
    count: ClassVar[int] = 2

    def set_windows(
        self, size: PerAxis, stride: PerAxis | None, padding: PaddingLike, dilation: PerAxis
    ) -> None:
        """Set the fields; a stride of None is the size. Raise ArgumentError as the functions do."""
        name, count = type(self).__name__, self.count
        self.size = per_axis(name, "size", size, 1, count)
        self.stride = self.size if stride is None else per_axis(name, "stride", stride, 1, count)
        self.dilation = per_axis(name, "dilation", dilation, 1, count)
        named = isinstance(padding, str) and padding in ("valid", "same")
        self.padding = padding if named else explicit_padding(name, padding, count)

    def options(self) -> dict[str, Any]:
        """Return the function's keyword arguments."""
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}

    def window_facts(self, usual_stride: tuple[int, ...]) -> list[str]:
        """Return the window options that differ from the defaults, as text."""
        facts = [_times(self.size)]
        if self.stride != usual_stride:
            facts.append(f"stride {_times(self.stride)}")
        if self.padding != "valid":
            facts.append(f"padding {self.padding}")
        if max(self.dilation) > 1:
            facts.append(f"dilation {_times(self.dilation)}")
        return facts


def _times(lengths: tuple[int, ...]) -> str:
    return "x".join(map(str, lengths))
