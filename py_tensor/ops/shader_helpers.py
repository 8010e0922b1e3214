"""GLSL functions that expressions of the op table call, read from `shader_helpers.glsl`."""

from __future__ import annotations

import pkgutil
import re

_FIRST_NAME = re.compile(r"^(?:#define|\w+) (\w+)", re.MULTILINE)


def _read() -> dict[str, str]:
    data = pkgutil.get_data(__package__, "shader_helpers.glsl")
    assert data is not None
    blocks = (
        re.sub(r"^//.*\n", "", block, flags=re.MULTILINE) for block in data.decode().split("\n\n")
    )
    return {
        match[1]: block.strip() for block in blocks if (match := _FIRST_NAME.match(block.lstrip()))
    }


HELPERS = _read()
