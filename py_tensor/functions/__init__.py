"""The public functions, one file a chapter of the array API standard; most also methods.

An operation of the table is a function by itself; here are those with axes, shapes or several
steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import install
from . import (
    complexes,
    convolution,
    convolution_transpose,
    counting,
    creation,
    cumulative,
    curves,
    data_types,
    einsum,
    elementwise,
    grids,
    indexing,
    inspection,
    joining,
    linear_algebra,
    manipulation,
    nan_statistics,
    nesting,
    neural,
    order_statistics,
    pooling,
    repetition,
    searching,
    sets,
    sorting,
    statistical,
    utility,
)

CHAPTERS = (
    creation,
    elementwise,
    complexes,
    statistical,
    cumulative,
    manipulation,
    joining,
    repetition,
    grids,
    indexing,
    searching,
    sorting,
    sets,
    utility,
    nan_statistics,
    order_statistics,
    counting,
    curves,
    data_types,
    linear_algebra,
    einsum,
    neural,
    convolution,
    convolution_transpose,
    pooling,
)
PUBLIC: dict[str, Callable[..., Any]] = {
    name: function for chapter in CHAPTERS for name, function in chapter.PUBLIC.items()
}
METHODS: dict[str, Any] = {
    name: function
    for chapter in (
        elementwise,
        statistical,
        cumulative,
        manipulation,
        indexing,
        neural,
        convolution,
        convolution_transpose,
        pooling,
    )
    for name, function in chapter.PUBLIC.items()
    if name != "where"
}

for operators in (elementwise, manipulation, indexing, linear_algebra, inspection):
    METHODS |= operators.OPERATORS
install(METHODS | {"_of_nested": staticmethod(nesting.of_nested)})
