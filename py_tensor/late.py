"""Modules that are imported when they are first used.

Compiling the modules from source takes most of the time of the first import in a page. Modules that
a first computation does not need are therefore named by a `LateModule`; type checkers see the
module itself:

    if TYPE_CHECKING:
        from . import statistical
    else:
        statistical = LateModule("functions.statistical")
"""

from __future__ import annotations

import sys
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

REASONS = {
    # Modules that may be missing, and those that import them.
    "kernels.jax_execution": "imports JAX",
    "runtime.backends.jax": "imports JAX",
    "runtime.backends.numpy": "imports NumPy",
    "runtime.backends.wasm": "needs a page, or another engine for WebAssembly",
    "runtime.backends.webgl": "needs a page",
    "runtime.backends.webgpu": "needs a page",
    # Modules that a first computation does not need.
    "functions.arguments": "arguments other than operands",
    "functions.complex_numbers": "methods of Tensor",
    "functions.convolution": "methods of Tensor",
    "functions.copies": "`copy` and `pickle`",
    "functions.indexing": "methods of Tensor",
    "functions.inspection": "`__array_namespace__`",
    "functions.interchange": "methods of Tensor",
    "functions.joining": "methods of Tensor, and tensors in lists",
    "functions.linear_algebra": "methods of Tensor",
    "functions.manipulation": "methods of Tensor",
    "functions.neural": "methods of Tensor",
    "functions.searching": "methods of Tensor",
    "functions.segments": "methods of Tensor",
    "functions.sorting": "methods of Tensor",
    "functions.statistical": "methods of Tensor",
    "ops.complex_rules": "rules of complex operands",
    "ops.index_map": "positions in error messages",
    "ops.special_functions": "references and gradients of special functions",
    "kernels.native": "kernels that write, on backends with atomic operations",
    "runtime.array_format": "`repr` and `str`",
    "runtime.backends.python": "used if there is neither WebGL2 nor NumPy",
    "runtime.host_eval": "reads of tiny values",
    # Modules of later packages, which use the names that they complete.
    "display.html": "Tensor's methods for notebooks",
    "numpy_functions.arithmetic": "NumPy's methods of Tensor",
    "numpy_functions.generator": "NumPy's names in `random`",
    "numpy_functions.grids": "NumPy's methods of Tensor",
    "numpy_functions.products": "NumPy's methods of Tensor",
    "numpy_functions.selection": "NumPy's methods of Tensor",
    "numpy_functions.shapes": "NumPy's methods of Tensor",
    "numpy_functions.statistics": "NumPy's methods of Tensor",
    "numpy_functions.ufunc_methods": "NumPy's methods of functions, such as `add.reduce`",
}
"""Reason for each module that is imported late, by its name in the package."""


def imported(name: str) -> ModuleType | None:
    """Return a module if the program has imported it; else None."""
    return sys.modules.get(name)


class LateFunction:
    """Function of a module that is imported by the first call.

    As an attribute of classes it is a method. The first use replaces it by the function.
    """

    def __init__(self, module: LateModule, name: str) -> None:
        self.module = module
        self.__name__ = name
        self.attributes: list[tuple[type, str]] = []

    @property
    def function(self) -> Any:
        return getattr(self.module.loaded, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __set_name__(self, owner: type, name: str) -> None:
        self.attributes.append((owner, name))

    def __get__(self, instance: Any, kind: type) -> Any:
        for owner, name in self.attributes:
            setattr(owner, name, self.function)
        return self.function.__get__(instance, kind)


class LateModule:
    """Module of the package, of the table `REASONS`, that is imported when it is first used."""

    def __init__(self, name: str) -> None:
        assert name in REASONS, name
        self.__name__ = f"{__name__.partition('.')[0]}.{name}"

    @cached_property
    def loaded(self) -> Any:
        return import_module(self.__name__)

    def __getattr__(self, name: str) -> LateFunction:
        function = LateFunction(self, name)
        setattr(self, name, function)
        return function
