"""What layers of convolutions and of pooling have in common: where their windows lie."""

from __future__ import annotations

from typing import Any, ClassVar

from ...functions.windows import explicit_padding, per_axis
from ..module import Module, static_field


class Windowed(Module):
    """A layer that looks at images of `count` axes through windows."""

    size: tuple[int, ...] = static_field()
    stride: tuple[int, ...] = static_field()
    padding: Any = static_field()
    dilation: tuple[int, ...] = static_field()
    count: ClassVar[int] = 2

    def place(self, size: Any, stride: Any, padding: Any, dilation: Any) -> None:
        """Sets the fields; a stride of None is the size. Raises ArgumentError as functions do."""
        name, count = type(self).__name__, self.count
        self.size = per_axis(name, "size", size, 1, count)
        self.stride = self.size if stride is None else per_axis(name, "stride", stride, 1, count)
        self.dilation = per_axis(name, "dilation", dilation, 1, count)
        named = isinstance(padding, str) and padding in ("valid", "same")
        self.padding = padding if named else explicit_padding(name, padding, count)

    def options(self) -> dict[str, Any]:
        """What the function is called with beside the size."""
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}

    def window_facts(self, usual_stride: tuple[int, ...]) -> list[str]:
        """What is worth saying about the windows."""
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
