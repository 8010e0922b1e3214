"""Shapes and random values for the inputs of a model whose visitor has chosen none."""

from typing import Any

from token_inputs import filled, roles_of

import py_tensor as pt

SIDE = 256
"""Height and width of an image, if the model leaves them open."""
STEPS = 16
"""Length of any other open axis."""
BYTES = {"int8": 128}
"""Upper limit of random integers, if it is not that of a byte."""


def example_shapes(model: Any) -> dict[str, list[int]]:
    """Return a shape for each input: open lengths are a batch of one, image sides or steps."""
    return {info.name: example_shape(info.shape or ()) for info in model.inputs}


def example_shape(declared: tuple[Any, ...]) -> list[int]:
    """Return a shape with lengths for those that a declared shape leaves open."""
    known = [length if is_known(length) else None for length in declared]
    sides = _sides(known)
    return [
        length
        if length is not None
        else 1
        if at == 0
        else SIDE
        if at in sides
        else 3
        if sides
        else STEPS
        for at, length in enumerate(known)
    ]


def open_sides(declared: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the axes of an image whose lengths a declared shape leaves open: height and width."""
    sides = _sides([length if is_known(length) else None for length in declared])
    return sides if sides and not any(is_known(declared[at]) for at in sides) else ()


def is_known(length: Any) -> bool:
    """Return True if a declared length is a number."""
    return isinstance(length, int) and length > 0


def _sides(known: list[int | None]) -> tuple[int, ...]:
    """Return the axes of height and width, or none if these are no images."""
    if len(known) != 4:
        return ()
    return (2, 3) if known[1] in (1, 3, 4) else (1, 2)


def example_inputs(model: Any, shapes: dict[str, list[int]]) -> dict[str, Any]:
    """Return random values for each input; masks of tokens leave none out."""
    roles = roles_of(model.inputs)
    return {
        info.name: filled(roles[info.name], shapes[info.name], info.dtype or pt.int32)
        if roles.get(info.name, "ids") != "ids"
        else example_input(info, shapes[info.name], at)
        for at, info in enumerate(model.inputs)
    }


def example_input(info: Any, shape: list[int], at: int = 0) -> Any:
    """Return random values: from 0 to 1, or bytes for integers.

    `at` is the number of the input in the model: each input gets other values, the same each time.
    """
    dtype, key = info.dtype or pt.float32, pt.random.key(at)
    if dtype.kind == "f":
        return pt.random.uniform(shape, key=key).astype(dtype)
    if dtype.kind == "b":
        return pt.random.uniform(shape, key=key) < 0.5
    return pt.random.integers(0, BYTES.get(dtype.name, 256), shape, key=key).astype(dtype)
