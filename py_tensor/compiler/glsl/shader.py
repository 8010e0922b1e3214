"""Assemble the text of a fragment shader: declarations, helpers and a kernel's statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...dtypes import DType
from ...language.glsl import GLSL
from .integers import quotient, remainder
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

NEW_LINE = "\n"


class Shader(NamedTuple):
    """Fragment shader, with the scalars that a draw passes in its uniform arrays."""

    name: str
    source: str
    uniforms: tuple[tuple[int, ...], ...]
    """For each element of F, I and U, the position among the kernel's scalars."""
    modes: tuple[str, ...]
    """Read modes of each input, joined by a plus; `fetches` describes them."""


def assemble(
    inputs: Sequence[tuple[DType, int]],
    uniforms: dict[str, list[int]],
    outputs: Sequence[DType],
    body: Sequence[str],
    functions: Sequence[str] = (),
    source: str = "",
) -> str:
    """Return the source of a shader.

    `inputs` are (dtype, texture width) with width 0 for tile layout; `outputs` are dtypes.
    `functions` are lines before `main`, and after them `source` is text of the user, whose lines
    errors count from 1.
    """
    main, text = "\n".join(body), "\n".join([*functions, *body])
    lines = []
    for slot, (dtype, row) in enumerate(inputs):
        lines.append(f"uniform {SAMPLER[dtype.kind]}{'' if row else 'Array'} x{slot};")
    for name, kind in (("F", "f"), ("I", "i"), ("U", "u")):
        if uniforms[name]:
            lines.append(f"uniform {SCALAR[kind]} {name}[{len(uniforms[name])}];")
    for location, dtype in enumerate(outputs):
        lines.append(f"layout(location = {location}) out {VECTOR[dtype.kind]} y{location};")
    for slot, (dtype, row) in enumerate(inputs):
        kind, texel, element = dtype.kind, f"pt_texel{slot}(", f"pt_at{slot}("
        if element in text or texel in text:
            fetch = f"texelFetch(x{slot}, ivec2({remainder('t', row)}, {quotient('t', row)}), 0)"
            lines.append(f"{VECTOR[kind]} {texel}int t) {{ return {fetch}; }}")
        if element in text:
            lines.append(f"{SCALAR[kind]} {element}int i) {{ return {texel}i >> 2)[i & 3]; }}")
    lines += [*GLSL.included(text), *functions]
    head = _HEAD + "\n".join(lines)
    if source:
        head += f"\n#line 1 1\n{source}\n"
        head += f"#line {head.count(NEW_LINE) + 2} 0"
    return f"{head}\n\nvoid main() {{\n  ivec2 P = ivec2(gl_FragCoord.xy);\n{main}\n}}\n"
