"""Griffe extension that completes the documentation of functions."""

import inspect
import re
from importlib import import_module
from typing import Any

import griffe

EXAMPLE_OR_CODE = r"(?P<example>^>>> .*?(?=\n\n|\Z))|(?P<code>`[^`]*`)|\*\*"
TENSOR, METHODS = "tensor.Tensor", "functions.methods"


def markdown(match: re.Match[str]) -> str:
    """Return an example as a code block, and `**` escaped for Markdown."""
    if match["example"]:
        return f"```pycon\n{match[0]}\n```"
    return match["code"] or r"\*\*"


def complete_docstring(obj: griffe.Object) -> str | None:
    """Return the docstring with what decorators add to it, such as shared contracts."""
    owner: Any = import_module(obj.module.path)
    if obj.parent is not obj.module:
        return None
    return inspect.getdoc(getattr(owner, obj.name))


def method_of(name: str, function: griffe.Function) -> griffe.Function:
    """Return a method that is bound to a function, whose first parameter is self."""
    method = griffe.Function(
        name,
        parameters=griffe.Parameters(*list(function.parameters)[1:]),
        returns=function.returns,
        docstring=function.docstring,
        lineno=function.lineno,
        endlineno=function.endlineno,
    )
    method.labels |= function.labels
    return method


class Docstrings(griffe.Extension):
    """Mark examples as code, and document the methods that are bound to `Tensor`."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if isinstance(obj, griffe.Function):
            for parameter in obj.parameters:
                if str(parameter.annotation) == "Any":
                    parameter.annotation = None
        if obj.docstring is None:
            return
        if isinstance(obj, griffe.Function | griffe.Class) and obj.decorators:
            obj.docstring.value = complete_docstring(obj) or obj.docstring.value
        flags = re.DOTALL | re.MULTILINE
        text = obj.docstring.value
        obj.docstring.value = re.sub(EXAMPLE_OR_CODE, markdown, text, flags=flags)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        methods = pkg[METHODS]
        bound = methods["TensorMemory"].members | methods["TensorMethods"].members
        for name, member in bound.items():
            if name.startswith("_"):
                continue
            if isinstance(member, griffe.Attribute) and member.value is not None:
                function = methods[str(member.value)].final_target
                assert isinstance(function, griffe.Function)
                member = method_of(name, function)
            pkg[TENSOR].set_member(name, member)


class PublicNames(griffe.Extension):
    """Document public names, which `py_tensor` looks up when they are first used."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        for name, home in import_module(f"{pkg.name}.late").HOMES.items():
            pkg.set_member(name, griffe.Alias(name, f"{pkg.name}.{home}.{name}"))
