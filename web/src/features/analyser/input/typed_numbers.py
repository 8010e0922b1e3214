"""Numbers that the visitor types or pastes for an input of the model: a table (CSV) or JSON."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

SEPARATOR = re.compile(r"\s*[,;\t]\s*|\s+")
WORDS = {"true": 1, "false": 0}
LIMITS = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65_535), "int16": (-32_768, 32_767)}
"""Least and largest integer of narrow dtypes."""


def numbers_of(text: str, shape: Sequence[int], kind: str, dtype: str) -> list[float]:
    """Return the numbers of a text in the order of the input's elements.

    A table has a row on each line, with cells separated by commas, semicolons, tabs or spaces. JSON
    is a list, or lists in lists. Leading axes of length 1 may be left out. `kind` is the kind of
    the dtype, for example "f". Raises ValueError for other shapes and numbers that do not fit.
    """
    text = text.strip()
    values, found = _of_json(text) if text.startswith("[") else _of_table(text)
    if not _fits(found, list(shape)):
        rows = f", in rows of {shape[-1]}" if shape else ""
        raise ValueError(
            f"numbers: they do not have the shape of the input; got {tuple(found)} for "
            f"{tuple(shape)}; give {math.prod(shape):,} numbers{rows}"
        )
    low, high = LIMITS.get(dtype, (-math.inf, math.inf))
    for value in values:
        if kind != "f" and (not math.isfinite(value) or value != int(value)):
            raise ValueError(f"numbers: {dtype} has integers only; got {value}; round it")
        if not low <= value <= high:
            raise ValueError(f"numbers: {dtype} goes from {low} to {high}; got {value}; change it")
    return values if kind == "f" else [int(value) for value in values]


def _of_table(text: str) -> tuple[list[float], list[int]]:
    rows = []
    for at, line in enumerate(text.splitlines(), 1):
        if cells := [cell for cell in SEPARATOR.split(line.strip()) if cell]:
            rows.append([_number(cell, f"line {at}, cell {n}") for n, cell in enumerate(cells, 1)])
            if len(rows[-1]) != len(rows[0]):
                raise ValueError(
                    f"numbers: rows differ in length; got {len(rows[-1])} cells in line {at} after "
                    f"{len(rows[0])}; give each row as many"
                )
    return [value for row in rows for value in row], [len(rows), len(rows[0]) if rows else 0]


def _of_json(text: str) -> tuple[list[float], list[int]]:
    try:
        level: list[Any] = json.loads(text)
    except ValueError as error:
        raise ValueError(f"numbers: JSON is not valid; got {error}; correct it") from None
    shape = [len(level)]
    while level and all(isinstance(item, list) for item in level):
        lengths = {len(item) for item in level}
        if len(lengths) > 1:
            raise ValueError(
                f"numbers: lists differ in length; got {min(lengths)} and {max(lengths)}; give "
                "each as many"
            )
        shape += lengths
        level = [value for item in level for value in item]
    return [_number(item, f"place {at}") for at, item in enumerate(level)], shape


def _number(cell: Any, place: str) -> float:
    try:
        if isinstance(cell, str):
            return float(WORDS.get(cell.lower(), cell))
        return float(cell)
    except (TypeError, ValueError):
        raise ValueError(
            f"numbers: cell is no number; got {cell!r:.40} in {place}; write numbers with a point "
            "for decimals"
        ) from None


def _fits(found: list[int], shape: list[int]) -> bool:
    """Return True if numbers of one shape fill another, apart from axes of length 1.

    A table has two axes only; its rows are the last axis of the input, or it is one row.
    """
    plain = [length for length in shape if length != 1]
    got = [length for length in found if length != 1]
    if got == plain:
        return True
    table = len(found) == 2 and math.prod(found) == math.prod(shape)
    return table and len(plain) > 2 and found[1] == shape[-1]
