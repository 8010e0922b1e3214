"""Griffe extension that completes the documentation of functions."""

import re
from typing import Any, cast

import griffe

EXAMPLE_OR_CODE = r"(?P<example>^>>> .*?(?=\n\n|\Z))|(?P<code>`[^`]*`)|\*\*"
TENSOR, METHODS, FUNCTIONS = "tensor.Tensor", "functions.methods.TensorMethods", "functions."


def markdown(match: re.Match[str]) -> str:
    """Return an example as a code block, and `**` escaped for Markdown."""
    if match["example"]:
        return f"```pycon\n{match[0]}\n```"
    return match["code"] or r"\*\*"


def bound_function(package: griffe.Module, value: str) -> griffe.Object | griffe.Alias:
    """Return the function in an assignment: `chapter.name`, or `_late('name')` of a public name."""
    late = re.fullmatch(r"_late\('(\w+)'\)", value)
    path = package[late[1]].target_path.removeprefix("py_tensor.") if late else FUNCTIONS + value
    return cast("griffe.Object | griffe.Alias", package[path])


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
    """Mark examples as code, and document the methods that `TensorMethods` binds."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if isinstance(obj, griffe.Function):
            for parameter in obj.parameters:
                if str(parameter.annotation) == "Any":
                    parameter.annotation = None
        if obj.docstring is None:
            return
        flags = re.DOTALL | re.MULTILINE
        text = obj.docstring.value
        obj.docstring.value = re.sub(EXAMPLE_OR_CODE, markdown, text, flags=flags)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        for name, member in pkg[METHODS].members.items():
            if name.startswith("_"):
                continue
            if isinstance(member, griffe.Attribute) and member.value is not None:
                function = bound_function(pkg, str(member.value))
                assert isinstance(function, griffe.Function)
                member = method_of(name, function)
            pkg[TENSOR].set_member(name, member)
