"""Target with workgroups: kernels are compute shaders over storage buffers."""

from __future__ import annotations

from typing import Any, NamedTuple


class WorkgroupTarget(NamedTuple):
    """Capabilities of a device with workgroups, for example of WebGPU."""

    buffers: int = 8
    largest: int = 1 << 27
    on_processor: bool = False

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError
