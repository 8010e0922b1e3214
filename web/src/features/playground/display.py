"""Display the value of a program's last expression; tensors of rank 1 and 2 become tables."""

import json
import math

import py_tensor as pt

ROWS, COLUMNS = 12, 8
ELLIPSIS = "…"


def display(value: object, page) -> None:
    """Show a table or the repr of a value; show nothing for None."""
    if value is None:
        return
    if isinstance(value, pt.Tensor) and value.ndim in (1, 2) and value.size > 0:
        caption = f"shape {tuple(value.shape)} · {value.dtype} · {value.device}"
        page.table(caption, json.dumps(table(value)))
    else:
        page.write(f"{value!r}\n", False)


def table(tensor: pt.Tensor) -> list[list[str] | None]:
    """Return the cells as text, with None for omitted rows and an ellipsis for omitted columns."""
    if tensor.ndim == 1:
        tensor = pt.reshape(tensor, (1, tensor.size))
    rows: list[list[str] | None] = []
    for r, row_part in enumerate(_ends(tensor.shape[0], ROWS)):
        if r:
            rows.append(None)
        # Reads back only the elements that are shown.
        parts = [tensor[row_part, part].tolist() for part in _ends(tensor.shape[1], COLUMNS)]
        for cells in zip(*parts, strict=True):
            rows.append(
                [*_texts(cells[0]), *(c for part in cells[1:] for c in (ELLIPSIS, *_texts(part)))]
            )
    return rows


def _ends(length: int, shown: int) -> list[slice]:
    """One slice of all elements, or slices of the first and the last ones."""
    if length <= shown:
        return [slice(0, length)]
    return [slice(0, shown - shown // 2), slice(length - shown // 2, length)]


def _texts(values: list) -> list[str]:
    return [_text(value) for value in values]


def _text(value: bool | int | float) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isfinite(value) and value == int(value) and abs(value) < 1e6:
        return f"{value:.1f}"
    return f"{value:.5g}"
