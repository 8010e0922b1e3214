"""The whole text of a fragment shader around a kernel's statements: declarations, helpers, main."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..dtypes import DType
from ..ops.helpers import HELPERS
from .types import SAMPLER, SCALAR, VECTOR

_HEAD = """#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
"""

_ACCESS = {
    "pt_at": "{scalar} pt_at({sampler} x, int i) {{ "
    "return texelFetch(x, ivec2((i >> 2) & 2047, i >> 13), 0)[i & 3]; }}",
    "pt_texel": "{vector} pt_texel({sampler} x, int t) {{ "
    "return texelFetch(x, ivec2(t & 2047, t >> 11), 0); }}",
}
_NAMES = re.compile(r"\b(?:pt|PT)_\w+")


@dataclass(frozen=True)
class Shader:
    """A fragment shader with what a draw gives it: uniform arrays by position of the scalars."""

    name: str
    source: str
    uniforms: tuple[tuple[int, ...], ...]
    """Which of the kernel's scalars each element of F, I and U takes."""
    modes: tuple[str, ...]
    """How each input is read: same, aligned, splat or lanes; several joined by a plus."""


def assemble(
    inputs: Sequence[tuple[DType, bool]],
    uniforms: dict[str, list[int]],
    outputs: Sequence[DType],
    body: Sequence[str],
) -> str:
    """The source; `inputs` are (dtype, whether in tiles), `outputs` one dtype a draw buffer."""
    text = "\n".join(body)
    lines = []
    for slot, (dtype, tiled) in enumerate(inputs):
        lines.append(f"uniform {SAMPLER[dtype.kind]}{'Array' if tiled else ''} x{slot};")
    for name, kind in (("F", "f"), ("I", "i"), ("U", "u")):
        if uniforms[name]:
            lines.append(f"uniform {SCALAR[kind]} {name}[{len(uniforms[name])}];")
    for location, dtype in enumerate(outputs):
        lines.append(f"layout(location = {location}) out {VECTOR[dtype.kind]} y{location};")
    kinds = sorted({"u" if dtype.kind == "b" else dtype.kind for dtype, _ in inputs})
    for name, template in _ACCESS.items():
        if f"{name}(" in text:
            lines += [
                template.format(vector=VECTOR[kind], scalar=SCALAR[kind], sampler=SAMPLER[kind])
                for kind in kinds
            ]
    lines += _helpers(text)
    return (
        _HEAD
        + "\n".join(lines)
        + "\n\nvoid main() {\n  ivec2 P = ivec2(gl_FragCoord.xy);\n"
        + text
        + "\n}\n"
    )


def _helpers(text: str) -> list[str]:
    """The helper functions a text calls, those they call first."""
    result: dict[str, str] = {}

    def include(source: str) -> None:
        for name in _NAMES.findall(source):
            if name in HELPERS and name not in result and HELPERS[name] is not source:
                include(HELPERS[name])
                result[name] = HELPERS[name]

    include(text)
    return list(result.values())
