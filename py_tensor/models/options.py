"""Values of options that the operators of several formats share."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError

type Ints = list[int]

LARGEST = 1 << 14
"""Maximum length, stride, dilation and padding of windows."""


def unsupported(what: str) -> ModelError:
    """Return the error of an operator whose options py_tensor does not support."""
    return ModelError(
        f"run: option of an operator is not supported; got {what}; export the model without it"
    )


def several(value: int | Ints) -> Ints:
    """Return integers that are given as a list or as a single number."""
    return value if isinstance(value, list) else [value]


def single(value: int | Ints | list[Any]) -> int:
    """Return an integer that is given as a number or as lists of one."""
    while isinstance(value, list):
        [value] = value
    return int(value)
