"""Errors of the readers of files."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ModelError


def malformed(file: str, wrong: str, got: str) -> ModelError:
    """Return the error of a file that is not valid; `file` names its format."""
    return ModelError(
        f"load: not a valid {file} file: {wrong}; got {got}; download or save the file again"
    )


def unsupported(what: str, label: str) -> ModelError:
    """Return the error of a part of a file that py_tensor does not support."""
    return ModelError(f"load: {what} are not supported; got {label}; export the model without them")


def check_size(file: str, got: int, expected: int, shape: Sequence[int], label: str) -> None:
    """Raise ModelError if a constant does not have the bytes of its shape."""
    if got != expected:
        raise malformed(
            file,
            "number of elements does not fit the shape",
            f"{got} bytes instead of {shortened(expected)} for shape {shortened(tuple(shape))} of "
            f"{label}",
        )


def shortened(value: int | tuple[int, ...]) -> str:
    """Return at most 80 characters of a number or a shape of a file."""
    return f"{value if not isinstance(value, int) or value < 1 << 64 else '2**64 or more'!s:.80}"
