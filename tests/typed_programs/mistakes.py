"""Mistakes that type checkers find; a comment that ignores no error is an error itself."""

from __future__ import annotations

from collections.abc import Callable

import py_tensor as pt

x = pt.asarray([1.0, 2.0])
MISTAKES: tuple[Callable[[], object], ...] = (
    lambda: pt.sin("angle"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: x.sum(axis="rows"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: x.mean(axis=0.5),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: x + "text",  # type: ignore[arg-type]  # pyright: ignore[reportOperatorIssue]
    lambda: x.total(),  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    lambda: pt.zeros("3"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: pt.sine(x),  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    lambda: x.astype(32),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: pt.sort(x, axis=(0,)),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
)
