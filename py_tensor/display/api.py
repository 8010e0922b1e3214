"""`show`: show a tensor, picture, plot or text where the program runs."""

from __future__ import annotations

from html import escape
from typing import Any

from ..dtypes import wrong_type
from ..errors import ShapeError
from ..functions.arguments import choice
from ..ir.tracer import is_traced
from ..runtime.scopes import state
from ..tensor import Tensor
from .pictures import Picture, is_picture, tiled
from .places import at, current, html_of

KINDS = ("picture", "table")


def show(item: Any, title: str = "", *, kind: str | None = None, target: Any = None) -> None:
    """Show a tensor, picture, list of pictures, plot or text where the program runs.

    Notebooks (Jupyter, JupyterLite, marimo) show it in the output of the cell, pages and PyScript
    append it to the page, and terminals print it as text. In pages, pictures are drawn without
    reading them back.

    Args:
        item: Tensor, list of pictures, plot of `pt.plot`, text, or an object that notebooks show as
            HTML (`_repr_html_`). A tensor of shape (height, width), or (height, width, 1, 3 or 4),
            is a picture as for `draw`: floats from 0 to 1, or integers from 0 to 255. Other tensors
            are tables. A list of tensors is one picture with several parts.
        title: Text above the output. Output with the same title in the same cell or page is
            replaced, so that a loop can show an animation. "" (default) for none.
        kind: "picture" or "table"; None (default) chooses by the shape.
        target: Element of the page, or a CSS selector of one, to which the output is appended;
            None (default) for the cell's output, or for the end of the page.

    Raises:
        ShapeError: If `kind` is "picture" and the shape is not that of a picture.
        ArgumentError: If `kind` is unknown, `title` is no text, or the page has no such target.
        BackendError: If `target` is given and there is no page.

    >>> import py_tensor as pt
    >>> pt.show("loss is falling")
    loss is falling
    >>> pt.show(pt.zeros((48, 64, 3)), "night")
    picture(night · shape (48, 64, 3), float32)
    """
    if kind is not None:
        kind = choice("show", "kind", kind, KINDS)
    if not isinstance(title, str):
        raise wrong_type("show", "title", "a text", title)
    output = current() if target is None else at(target)
    output.show(_item(item, title, kind), title or None)


class Titled:
    """An object below a title."""

    def __init__(self, item: Any, title: str) -> None:
        self._item = item
        self._title = title

    def __repr__(self) -> str:
        return f"{self._title}: {self._item}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._title)}</p>{html_of(self._item)}"


def _item(x: Any, title: str, kind: str | None) -> Any:
    if isinstance(x, (list, tuple)) and x and all(isinstance(part, Tensor) for part in x):
        x = tiled(x)
    titled = Titled(x, title) if title else x
    if not isinstance(x, Tensor):
        return titled
    if kind == "picture" and not is_picture(x):
        raise ShapeError(
            f"show: tensor is no picture; got shape {x.shape}; use (height, width), or (height, "
            "width, channels) with 1, 3 or 4 channels"
        )
    traced = state.trace is not None or (state.traces and is_traced(x._node))
    if kind == "table" or traced or not is_picture(x) or x.dtype.kind == "c":
        return titled
    return Picture(x, title)
