"""Calls of libraries that accept arrays of the array API standard.

`call` defines a call, the other modules hold tables of calls, `exceptions` lists those that do not
work, and `results` compares results with NumPy's.
"""

from __future__ import annotations

from importlib import import_module

from .call import Call

MODULES = (
    "array_api",
    "einsums",
    "labelled",
    "learn",
    "scipy_special",
    "scipy_stats",
    "scipy_signal",
    "scipy_others",
    "tables",
)

LIBRARIES = {
    "array_api_compat": "array-api-compat",
    "array_api_extra": "array-api-extra",
    "einops": "einops",
    "opt_einsum": "opt_einsum",
    "pandas": "pandas",
    "scipy": "SciPy",
    "sklearn": "scikit-learn",
    "xarray": "xarray",
}
"""Names of the libraries by the first word of a call's name."""


def library_of(call: Call) -> str:
    """Return the name of a call's library."""
    return LIBRARIES[call.name.replace(".", " ").split()[0]]


def importable_calls() -> list[Call]:
    """Return the calls of all modules whose libraries are installed."""
    calls: list[Call] = []
    for name in MODULES:
        try:
            calls += import_module(f".{name}", __name__).CALLS
        except ModuleNotFoundError as error:
            if error.name and error.name.partition(".")[0] not in LIBRARIES:
                raise
    return calls
