"""Tensors as HTML: small ones as tables, the ends of large ones, and previews of pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import Any

from ..diagnostics.tables import size
from ..dtypes import uint8
from ..errors import TensorError
from ..functions.indexing import take
from ..functions.manipulation import reshape
from ..runtime.scopes import state
from ..tensor import Tensor
from .pictures import Picture, is_picture

ROWS, COLUMNS = 12, 8
"""Numbers of rows and columns of a table; longer axes show their first and last items."""
PREVIEW = 48
"""Pixels of the longer side of a picture's preview, so that its HTML has less than 13 KB."""
WHOLE = 1000
"""Elements up to which a tensor's text is its `repr`, which reads all values."""


def caption(tensor: Tensor) -> str:
    """Return shape, dtype, backend and size as one line.

    >>> import py_tensor as pt
    >>> caption(pt.ones((2, 3))).replace(pt.get_backend(), "webgl")
    'shape (2, 3) · float32 · webgl · 24 B'
    """
    parts = f"shape {tensor.shape}", str(tensor.dtype), tensor.device, size(tensor.nbytes)
    return " · ".join(parts)


def number(value: complex) -> str:
    """Return a number rounded to five digits.

    >>> number(2.0), number(1 / 3), number(True), number(12), number(1 / 3 - 2j)
    ('2.0', '0.33333', 'True', '12', '0.33333-2j')
    """
    if isinstance(value, complex):
        return f"{value.real:.5g}{value.imag:+.5g}j"
    if not isinstance(value, float):
        return str(value)
    if value.is_integer() and abs(value) < 1e6:
        return f"{value:.1f}"
    return f"{value:.5g}"


def tensor_html(tensor: Tensor) -> str:
    """Return a tensor as a table of rounded values, or as a preview if it is a uint8 picture.

    Inside a trace, and if the values are lost, it says so instead.
    """
    if tensor.is_disposed:
        return f"<div>{escape(repr(tensor))}</div>"
    if state.trace is not None:
        return _without_values(tensor, "inside a traced function tensors have no values")
    try:
        if tensor.dtype == uint8 and tensor.ndim == 3 and is_picture(tensor):
            picture = Picture(tensor, most=PREVIEW)
            return f"<div>{caption(tensor)} · preview; see pt.show</div>{picture.image()}"
        return tensor_table(tensor)
    except TensorError as error:
        return _without_values(tensor, str(error))


def tensor_table(tensor: Tensor) -> str:
    """Return a table of the values along the last axis, with the other indices as row headers.

    Only the elements in the table are read back.
    """
    if not tensor.size:
        return _without_values(tensor, "no elements")
    lead, columns = tensor.shape[:-1], tensor.shape[-1] if tensor.ndim else 1
    rows = math.prod(lead)
    across, down = _ends(columns, COLUMNS), _ends(rows, ROWS)
    cells = iter(_selected(tensor, (rows, columns), down, across))
    head = "".join(f"<th>{'…' if at is None else at}</th>" for at in across)
    body = []
    for row in down:
        if row is None:
            body.append('<tr align="right"><th></th>' + "<td>⋮</td>" * len(across) + "</tr>")
            continue
        values = next(cells)
        shown = "".join(
            f"<td>{'…' if at is None else escape(number(next(values)))}</td>" for at in across
        )
        body.append(f'<tr align="right"><th>{_place(row, lead)}</th>{shown}</tr>')
    top = f'<thead><tr align="right"><th></th>{head}</tr></thead>' if tensor.ndim else ""
    table = f'<table cellpadding="3">{top}<tbody>{"".join(body)}</tbody></table>'
    # A caption of the table would be as narrow as the table.
    return f"<div>{caption(tensor)}</div>{table}"


def mimebundle(tensor: Tensor, include: Any = None, exclude: Any = None) -> dict[str, str]:
    """Return HTML, and text for which a large tensor is not read back, as IPython asks for them."""
    if tensor.is_disposed or tensor.size <= WHOLE:
        text = repr(tensor)
    else:
        text = f"tensor(shape={tensor.shape}, dtype={tensor.dtype}, backend={tensor.device})"
    # PyScript shows the first one.
    return {"text/html": tensor_html(tensor), "text/plain": text}


def _without_values(tensor: Tensor, reason: str) -> str:
    return f"<div>tensor · {caption(tensor)} · {escape(reason)}</div>"


def _ends(length: int, shown: int) -> list[int | None]:
    """Return the positions to show; None stands for those that are left out."""
    if length <= shown:
        return list(range(length))
    half = shown // 2
    return [*range(half), None, *range(length - half, length)]


def _selected(
    tensor: Tensor, shape: tuple[int, int], down: list[int | None], across: list[int | None]
) -> Iterator[Iterator[Any]]:
    """Yield the values of each row that is shown, for the columns that are shown."""
    if None in down or None in across:
        # The work that computes the tensor must not run again for its ends alone.
        tensor._buffer("show")
        matrix = reshape(tensor, shape)
        for axis, places in enumerate((down, across)):
            if None in places:
                matrix = take(matrix, [at for at in places if at is not None], axis=axis)
    else:
        matrix = tensor
    nested = matrix.tolist()
    for _ in range(2 - matrix.ndim):
        nested = [nested]
    for _ in range(matrix.ndim - 2):
        nested = [row for rows in nested for row in rows]
    return (iter(row) for row in nested)


def _place(row: int, lead: tuple[int, ...]) -> str:
    """Return the indices of a row along the axes before the last."""
    places = []
    for length in reversed(lead):
        row, at = divmod(row, length)
        places.append(str(at))
    return ", ".join(reversed(places))
