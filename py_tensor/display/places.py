"""Places where the output of a program is shown: notebooks, elements of pages, terminals.

`current()` returns the place where the program runs. A page that shows output in its own way calls
`use` with its own `Place`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, ClassVar

from ..errors import ArgumentError, BackendError
from ..images import draw
from .pictures import Picture

try:
    import js
except ImportError:  # CPython outside of a page
    js = None


class Place:
    """A place that shows items: objects with HTML (`_repr_html_`) and text (`str`).

    Subclasses override `show`.
    """

    seconds = 0.2
    """Least time between two updates of one item: notebooks take long to show each."""
    shows_start = True
    """False if changing items are not shown before the first `seconds` are over."""
    width: int | None = None
    """Width in pixels to which plots are reduced; None if the place shows any width."""

    def show(self, item: Any, key: str | None = None) -> None:
        """Show an item below the earlier ones.

        Args:
            item: Object to show.
            key: Name of the item, which replaces the earlier one of this name; None (default) for
                an item that is never replaced.
        """
        raise NotImplementedError

    def update(self, item: Any, key: str, is_last: bool = False) -> None:
        """Show an item that changes; the last call has `is_last`."""
        self.show(item, key)


class Terminal(Place):
    """Standard output: changing items rewrite a line of a terminal, or add lines to a file."""

    def __init__(self) -> None:
        self.rewrites = sys.stdout.isatty()
        if not self.rewrites:
            # Files and consoles of pages keep each line.
            self.seconds = 3.0
            self.shows_start = False

    def show(self, item: Any, key: str | None = None) -> None:
        print(item)

    def update(self, item: Any, key: str, is_last: bool = False) -> None:
        if not self.rewrites:
            print(item)
        else:
            print(f"\r{item}\x1b[K", end="\n" if is_last else "", flush=True)


class Notebook(Place):
    """A notebook that IPython runs, for example Jupyter and JupyterLite."""

    _shown: ClassVar[dict[str, Any]] = {}
    """Number of the execution that showed an item last, by its key."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def show(self, item: Any, key: str | None = None) -> None:
        from IPython.display import display, update_display

        if key is None:
            # `display` shows the quotes of a text.
            (print if isinstance(item, str) else display)(item)
            return
        # A cell that runs again has lost its output.
        count = self._shell.execution_count
        name = f"{key} {count}"
        if self._shown.get(key) == count:
            update_display(item, display_id=name)
        else:
            self._shown[key] = count
            display(item, display_id=name)


class Marimo(Place):
    """A marimo notebook."""

    _run: ClassVar[Any] = None
    _keys: ClassVar[list[str | None]] = []
    """Keys of the items that this run of a cell has shown."""

    def show(self, item: Any, key: str | None = None) -> None:
        import marimo
        from marimo._runtime.context import get_context

        # Each run of a cell begins with an empty output.
        run = get_context().execution_context
        if run is not Marimo._run:
            Marimo._run, Marimo._keys = run, []
        html = marimo.Html(html_of(item))
        if key is not None and key in self._keys:
            marimo.output.replace_at_index(html, self._keys.index(key))
        else:
            self._keys.append(key)
            marimo.output.append(html)


class Element(Place):
    """An element of a page; each item becomes a `div` in it.

    Args:
        element: HTML element.
        document: Document that creates elements.
    """

    def __init__(self, element: Any, document: Any) -> None:
        self._element = element
        self._document = document

    def show(self, item: Any, key: str | None = None) -> None:
        box = self._box(key)
        if not (isinstance(item, Picture) and self._drawn(item, box)):
            box.innerHTML = html_of(item)

    def _box(self, key: str | None) -> Any:
        if key is not None:
            for child in self._element.children:
                if child.getAttribute("data-title") == key:
                    return child
        box = self._document.createElement("div")
        if key is not None:
            box.setAttribute("data-title", key)
        self._element.append(box)
        return box

    def _drawn(self, picture: Picture, box: Any) -> bool:
        """Draw a picture on a canvas without reading it back; return False without a canvas."""
        if getattr(js, "document", None) != self._document:
            return False  # Python runs in a worker, which has no canvas of the page.
        canvas = _found(box.querySelector("canvas"))
        new = canvas is None
        if new:
            canvas = self._document.createElement("canvas")
        try:
            draw(picture.rgba, canvas)
        except BackendError:
            return False
        canvas.style.width = f"{picture.rgba.shape[1] * picture.factor}px"
        canvas.style.imageRendering = "pixelated" if picture.factor > 1 else "auto"
        canvas.setAttribute("role", "img")
        canvas.setAttribute("aria-label", picture.caption)
        if new:
            figure = self._document.createElement("figure")
            figure.append(canvas, self._document.createElement("figcaption"))
            box.replaceChildren(figure)
        box.querySelector("figcaption").textContent = picture.caption
        return True


def html_of(item: Any) -> str:
    """Return an object's HTML, or its text in a `pre` element."""
    own = getattr(type(item), "_repr_html_", None)
    html = None if own is None else own(item)
    return f"<pre>{escape(str(item))}</pre>" if html is None else html


_chosen: Place | None = None


@contextmanager
def use(output: Place) -> Iterator[None]:
    """Show all output at a place inside the `with` block.

    >>> from py_tensor.display.places import Place, use
    >>> class Lines(Place):
    ...     def show(self, item, key=None):
    ...         print("shown:", item)
    >>> import py_tensor as pt
    >>> with use(Lines()):
    ...     pt.show("text")
    shown: text
    """
    global _chosen
    before, _chosen = _chosen, output
    try:
        yield
    finally:
        _chosen = before


def current() -> Place:
    """Return the place where the program's output is shown."""
    return _chosen or _notebook() or _page() or Terminal()


def at(target: Any) -> Place:
    """Return the place of a page's element, or of the element that a CSS selector finds."""
    if isinstance(target, Place):
        return target
    document = _document()
    if isinstance(target, str):
        if document is None:
            raise BackendError(
                f"show: target requires a page; got {target!r} without a document; leave out target"
            )
        element = _found(document.querySelector(target))
        if element is None:
            raise ArgumentError(
                f"show: no element of the page fits the target; got {target!r}; pass a CSS "
                'selector, for example "#output", or an element'
            )
        return Element(element, document)
    if not hasattr(target, "ownerDocument"):
        raise ArgumentError(
            f"show: target must be an element of the page; got {target!r:.60}; pass an element or "
            'a CSS selector, for example "#output"'
        )
    return Element(target, target.ownerDocument)


def _notebook() -> Place | None:
    """Return the notebook that runs this program, or None. It has imported its package."""
    if "IPython" in sys.modules:
        from IPython import get_ipython

        shell = get_ipython()
        if shell is not None and type(shell).__name__ != "TerminalInteractiveShell":
            return Notebook(shell)
    if "marimo" in sys.modules:
        import marimo

        if marimo.running_in_notebook():
            return Marimo()
    return None


def _page() -> Place | None:
    """Return the element of the page to which output is appended, or None without a page."""
    document = _document()
    if document is None:
        return None
    element = None
    if "pyscript" in sys.modules:
        import pyscript

        # The element below the script, or the one that its attribute `target` names.
        element = _found(document.getElementById(pyscript.current_target()))
    return Element(document.body if element is None else element, document)


def _found(element: Any) -> Any:
    """Return None for JavaScript's null, which newer versions of Pyodide do not convert."""
    return element if hasattr(element, "nodeType") else None


def _document() -> Any:
    if "pyscript" in sys.modules:
        import pyscript

        return pyscript.document
    return getattr(js, "document", None)
