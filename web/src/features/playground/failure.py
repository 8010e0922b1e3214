"""Describe an exception for the page: message and frames, with the program's own frames marked."""

import traceback


def describe(error: BaseException, source: str, filename: str) -> dict:
    """Return the message, the frames from the program's first one on, and the line to mark."""
    lines = source.splitlines()
    summary = traceback.TracebackException.from_exception(error)
    frames = [_frame(entry, lines, filename) for entry in summary.stack]
    while frames and not frames[0]["yours"]:
        frames.pop(0)
    marked = [frame["line"] for frame in frames if frame["yours"]]
    if isinstance(error, SyntaxError) and error.filename == filename and error.lineno:
        marked.append(error.lineno)
    return {
        "message": "".join(summary.format_exception_only()).rstrip("\n"),
        "frames": frames,
        "line": marked[-1] if marked else None,
    }


def _frame(entry: traceback.FrameSummary, lines: list[str], filename: str) -> dict:
    line = entry.lineno or 0
    yours = entry.filename == filename
    text = lines[line - 1].strip() if yours and 0 < line <= len(lines) else (entry.line or "")
    name = "" if entry.name == "<module>" else entry.name
    return {"file": entry.filename, "line": line, "name": name, "text": text, "yours": yours}
