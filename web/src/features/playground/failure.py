"""Describe an exception for the page: message and frames, with the program's own frames marked."""

import traceback

ENDS = 8
"""Frames that are shown at each end of a long traceback, for example of an endless recursion."""

OFFERED = ("show", "progress", "plot", "next_frame")
"""Names of the library that programs often use in this page."""
OF_THE_PAGE = ("frames", "play", "download")
"""Names of the page's module `playground`."""


def describe(error: BaseException, source: str, filename: str) -> dict:
    """Return the message, the frames from the program's first one on, and the line to mark."""
    lines = source.splitlines()
    summary = traceback.TracebackException.from_exception(error)
    frames = [_frame(entry, lines, filename) for entry in summary.stack]
    while frames and not frames[0]["yours"]:
        frames.pop(0)
    if len(frames) > 2 * ENDS + 1:
        frames[ENDS:-ENDS] = [{"omitted": len(frames) - 2 * ENDS}]
    marked = [frame["line"] for frame in frames if frame.get("yours")]
    if isinstance(error, SyntaxError) and error.filename == filename and error.lineno:
        marked.append(error.lineno)
    return {
        "message": "".join(summary.format_exception_only()).rstrip("\n"),
        "hint": _hint(error),
        "frames": frames,
        "line": marked[-1] if marked else None,
    }


def _hint(error: BaseException) -> str:
    """Return advice for errors that are frequent in this page, else an empty text."""
    if isinstance(error, ModuleNotFoundError):
        if error.name == "numpy":
            return (
                "This page has no NumPy. Many programs for NumPy run with this line instead: "
                "import py_tensor as np"
            )
        return "This page has py_tensor and Python's standard library only."
    if isinstance(error, NameError):
        if error.name in OFFERED:
            return f"Write pt.{error.name}, with this line at the top: import py_tensor as pt"
        if error.name in OF_THE_PAGE:
            return f"Add this line at the top: from playground import {error.name}"
        if error.name in ("pt", "py_tensor"):
            return "Add this line at the top: import py_tensor as pt"
    if isinstance(error, RecursionError):
        return "A function calls itself without an end."
    if str(error).startswith("download: "):
        return (
            "Programs of this page run in a worker. Use: "
            'from playground import download; await download(tree, "model.safetensors")'
        )
    return ""


def _frame(entry: traceback.FrameSummary, lines: list[str], filename: str) -> dict:
    line = entry.lineno or 0
    yours = entry.filename == filename
    text = lines[line - 1].strip() if yours and 0 < line <= len(lines) else (entry.line or "")
    name = "" if entry.name == "<module>" else entry.name
    return {"file": entry.filename, "line": line, "name": name, "text": text, "yours": yours}
