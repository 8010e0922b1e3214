"""Base classes of layers for sequences, images or volumes, and of those that slide windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...functions.decorators import documented
from ...functions.sliding_windows import explicit_padding, per_axis
from ...tensor import Tensor
from ...typing import PaddingLike, PerAxis
from ..contracts import contract
from ..module import Module, static_field


class Sized(Module):
    """Layer for inputs with `count` axes between the batch and the channels.

    A subclass names the number, and the function that it calls if that depends on the number. The
    shared contract of its base class is added to its docstring.
    """

    count: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]
    contracts: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(
        cls,
        *,
        count: int = 0,
        function: Callable[..., Tensor] | None = None,
        padded: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if function is not None:
            cls.function = staticmethod(function)
        if count:
            cls.count = count
            if cls.contracts:
                documented(*contract(cls.contracts, count, padded=padded))(cls)


class Windowed(Sized):
    """Layer that slides windows over images of `count` axes."""

    size: tuple[int, ...] = static_field()
    stride: tuple[int, ...] = static_field()
    padding: Any = static_field()
    dilation: tuple[int, ...] = static_field()

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
