"""Functions and methods whose module is imported when they are first used.

Compiling the modules from source takes most of the time of the first import in a page. Modules that
a first computation does not need are therefore named by a `LateModule`; type checkers see the
module itself:

    if TYPE_CHECKING:
        from . import statistical
    else:
        statistical = LateModule("py_tensor.functions.statistical")
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any


class LateFunction:
    """Function of a module that is imported by the first call.

    As an attribute of a class it is a method. The first use replaces it by the function.
    """

    def __init__(self, module: LateModule, name: str) -> None:
        self.module = module
        self.__name__ = name
        self.attributes: list[str] = []

    @property
    def function(self) -> Any:
        return getattr(self.module.loaded, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner
        self.attributes.append(name)

    def __get__(self, instance: Any, kind: type) -> Any:
        for name in self.attributes:
            setattr(self.owner, name, self.function)
        return self.function.__get__(instance, kind)


class LateModule:
    """Module that is imported by the first call of one of its functions."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @cached_property
    def loaded(self) -> Any:
        return import_module(self.__name__)

    def __getattr__(self, name: str) -> LateFunction:
        found = LateFunction(self, name)
        setattr(self, name, found)
        return found
