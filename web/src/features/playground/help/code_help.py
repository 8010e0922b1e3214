"""Answers to the editor: completions, signatures and documentation. No program is run for them."""

from __future__ import annotations

import ast
import inspect
import json
import pkgutil
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import last_run
from known_values import Defined, Instance, Known, Value, attribute, names_of
from last_run import Left
from program_names import OF_THE_PAGE, Program, import_module

import py_tensor as pt
from py_tensor import late

EXAMPLE_LINES = 8
"""Lines of an example that are shown at most."""
DEFAULT_CHARACTERS = 40
MANY = 1000
"""Entries of one list."""
ARGUMENT = re.compile(r"^    (?=\S)", re.MULTILINE)

Description = dict[str, Any]


def answer(kind: str, source: str, line: int, expression: str) -> str:
    """Return an answer as JSON.

    Args:
        kind: Question, one of `ANSWERS`.
        source: Program in the editor, which may have mistakes.
        line: Line of the cursor, from 1.
        expression: Text of the expression that is asked about.
    """
    program = Program(source, line, {name: _known(left) for name, left in last_run.names.items()})
    return json.dumps(ANSWERS[kind](program, expression))


def _known(left: Left) -> Value:
    if left.value is not None:
        return Known(left.value)
    attributes = {name: _known(value) for name, value in left.attributes.items()}
    kind = (
        left.kind
        if isinstance(left.kind, type)
        else ast.ClassDef(left.kind, [], [], [], [], type_params=[])
    )
    return Instance(kind, left.keys, (), attributes, left.text)


def members(program: Program, expression: str) -> list[dict[str, str]]:
    """Return the attributes of an expression."""
    return _members(program, program.value(expression))


def exports(program: Program, module: str) -> list[dict[str, str]]:
    """Return the names that can be imported from a module."""
    return _members(program, _module(module))


def modules(program: Program, package: str) -> list[dict[str, str]]:
    """Return the modules of a package; of "" those without one."""
    if not package:
        names = {name for name in sys.stdlib_module_names if not name.startswith("_")}
        names |= OF_THE_PAGE | {info.name for info in pkgutil.iter_modules(["."])}
    else:
        module = import_module(package)
        if module is None:
            return []
        found = _module_kinds(module)
        names = {name for name, kind in found.items() if kind == "namespace"}
        if package.partition(".")[0] in sys.stdlib_module_names:
            names |= {info.name for info in pkgutil.iter_modules(getattr(module, "__path__", []))}
    names = {name for name in names if not name.startswith("_")}
    return [{"label": name, "type": "namespace"} for name in sorted(names)]


def keys(program: Program, expression: str) -> list[dict[str, str]]:
    """Return the keys of a dictionary."""
    value = program.value(expression)
    found = value.keys if isinstance(value, Instance) else ()
    return [{"label": key, "type": "property"} for key in found]


def describe(program: Program, expression: str) -> Description | None:
    """Return the signature and documentation of an expression."""
    value = program.value(expression)
    return None if value is None else _description(expression.rpartition(".")[2], value)


def describe_import(program: Program, path: str) -> Description | None:
    """Return the documentation of a module, or of a name in it."""
    value: Value | None = _module(path)
    if value is None:
        module, _, name = path.rpartition(".")
        owner = _module(module) if module else None
        value = attribute(owner, name) if owner else None
    return None if value is None else _description(path.rpartition(".")[2], value)


ANSWERS: dict[str, Callable[[Program, str], Any]] = {
    "members": members,
    "exports": exports,
    "modules": modules,
    "keys": keys,
    "describe": describe,
    "describeImport": describe_import,
}


def _module(path: str) -> Known | None:
    module = import_module(path) if path else None
    return None if module is None else Known(module)


def _members(program: Program, value: Value | None) -> list[dict[str, str]]:
    if isinstance(value, Known) and isinstance(value.value, types.ModuleType):
        kinds = _module_kinds(value.value)
    elif isinstance(value, Known) or (isinstance(value, Instance) and isinstance(value.kind, type)):
        kinds = {name: _kind_in(value, name) for name in names_of(value)}
    else:
        kinds = {}
        for owner in program.classes(value):
            if isinstance(owner, ast.ClassDef):
                for name, bindings in program.attributes_of(owner).bindings.items():
                    is_method = bindings[0].role == "definition"
                    kinds.setdefault(name, "method" if is_method else "property")
            else:
                kinds |= {name: _kind_in(owner, name) for name in names_of(owner)}
        if isinstance(value, Instance):
            kinds |= dict.fromkeys(value.attributes, "property")
    shown = [(name, kind) for name, kind in kinds.items() if not name.startswith("_")]
    return [{"label": name, "type": kind} for name, kind in shown[:MANY]]


def _module_kinds(module: types.ModuleType) -> dict[str, str]:
    """Return the kinds of a module's public names, without importing those that are late."""
    kinds = {}
    for name in names_of(Known(module)):
        found = vars(module).get(name, vars(pt).get(name) if hasattr(module, "_OLDER") else None)
        if found is not None:
            kinds[name] = _kind(found)
        elif name in late.HOMES or not hasattr(module, "__path__"):
            kinds[name] = "class" if name[0].isupper() else "function"
        else:
            kinds[name] = "namespace"
    return kinds


def _kind_in(owner: Known | Instance, name: str) -> str:
    place = owner.value if isinstance(owner, Known) else owner.kind
    found = inspect.getattr_static(place, name, None)
    is_method = callable(found) or isinstance(found, classmethod | staticmethod)
    return "method" if is_method and not isinstance(found, type) else "property"


def _kind(found: object) -> str:
    if isinstance(found, types.ModuleType):
        return "namespace"
    if isinstance(found, type):
        return "class"
    return "function" if callable(found) else "constant"


def _description(name: str, value: Value) -> Description:
    if isinstance(value, Defined):
        return _of_definition(value)
    if isinstance(value, Instance):
        return _of_instance(name, value)
    found = value.value
    if isinstance(found, types.ModuleType):
        return {"kind": "module", "title": found.__name__, **_documentation(found)}
    if not callable(found):
        return _of_instance(name, Instance(type(found)))
    is_bound = value.owner is not None and not inspect.ismethod(found)
    return {
        "kind": "class" if isinstance(found, type) else "method" if is_bound else "function",
        "title": getattr(found, "__name__", name),
        **_signature(found, is_bound),
        **_documentation(found),
    }


def _of_instance(name: str, value: Instance) -> Description:
    """Return the class of a variable, and the class's summary if it is one of a library."""
    if isinstance(value.kind, ast.ClassDef):
        kind, summary = value.kind.name, ""
    else:
        kind, module = value.kind.__name__, value.kind.__module__
        summary = "" if module == "builtins" else _documentation(value.kind)["summary"]
    return _sections("") | {
        "kind": "variable",
        "title": f"{name}: {kind}",
        "summary": summary,
        "text": value.text,
    }


def _of_definition(value: Defined) -> Description:
    node = value.node
    doc = _sections(ast.get_docstring(node) or "")
    if isinstance(node, ast.ClassDef):
        inits = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        listed = _parameters_of(inits[0], True) if inits else None
        return {"kind": "class", "title": node.name, "parameters": listed, "result": "", **doc}
    return {
        "kind": "method" if value.is_method else "function",
        "title": node.name,
        "parameters": _parameters_of(node, value.is_method),
        "result": ast.unparse(node.returns) if node.returns else "",
        **doc,
    }


def _parameters_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool
) -> list[Description]:
    """Return the parameters of a function of the program."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    missing = len(positional) - len(given.defaults)
    listed = [
        _parameter(a.arg, a.annotation, given.defaults[at - missing] if at >= missing else None)
        | ({"keyword": False} if at < len(given.posonlyargs) else {})
        for at, a in enumerate(positional)
    ]
    if given.posonlyargs:
        listed.insert(len(given.posonlyargs), _mark("/"))
    if given.vararg:
        listed.append(_mark(f"*{given.vararg.arg}", repeats=True))
    elif given.kwonlyargs:
        listed.append(_mark("*"))
    listed += [
        _parameter(a.arg, a.annotation, default)
        for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg:
        listed.append(_mark(f"**{given.kwarg.arg}"))
    return listed[1:] if is_method else listed


def _parameter(name: str, annotation: ast.expr | None, default: ast.expr | None) -> Description:
    text = name if annotation is None else f"{name}: {ast.unparse(annotation)}"
    if default is not None:
        text += f"{'=' if annotation is None else ' = '}{ast.unparse(default)}"
    return {"name": name, "text": text, "keyword": True}


def _mark(text: str, repeats: bool = False) -> Description:
    """Return what stands between parameters, or takes the others."""
    return {"name": "", "text": text, "keyword": False, "repeats": repeats}


def _signature(found: Any, is_bound: bool) -> Description:
    try:
        signature = inspect.signature(found)
        same = getattr(pt, getattr(found, "__name__", ""), None)
        if [*signature.parameters] == ["args", "kwargs"] and same and same.__doc__ == found.__doc__:
            signature = inspect.signature(same)
    except (ValueError, TypeError):  # functions in C
        return {"parameters": None, "result": ""}
    listed: list[Description] = []
    parameters = [*signature.parameters.values()][int(is_bound) :]
    kinds = [parameter.kind for parameter in parameters]
    for at, parameter in enumerate(parameters):
        if parameter.kind is parameter.KEYWORD_ONLY and not {
            parameter.KEYWORD_ONLY,
            parameter.VAR_POSITIONAL,
        } & {*kinds[:at]}:
            listed.append(_mark("*"))
        listed.append(_library_parameter(parameter))
        is_last = at + 1 == len(kinds) or kinds[at + 1] is not parameter.POSITIONAL_ONLY
        if parameter.kind is parameter.POSITIONAL_ONLY and is_last:
            listed.append(_mark("/"))
    result = signature.return_annotation
    shown = "" if isinstance(found, type) or result is signature.empty else _annotation(result)
    return {"parameters": listed, "result": shown}


def _library_parameter(parameter: inspect.Parameter) -> Description:
    kinds: dict[object, str] = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    stars = kinds.get(parameter.kind, "")
    has_annotation = parameter.annotation is not parameter.empty
    text = stars + parameter.name
    if has_annotation:
        text += f": {_annotation(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        default = getattr(parameter.default, "__name__", None) or repr(parameter.default)
        if len(default) > DEFAULT_CHARACTERS:
            default = "…"
        text += f"{' = ' if has_annotation else '='}{default}"
    return {
        "name": "" if stars else parameter.name,
        "text": text,
        "keyword": not stars and parameter.kind is not parameter.POSITIONAL_ONLY,
        "repeats": stars == "*",
    }


def _annotation(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _documentation(found: object) -> Description:
    return _sections(inspect.getdoc(found) or "")


def _sections(text: str) -> Description:
    """Return the first paragraph, the descriptions of arguments, and the example if it is short."""
    paragraphs = text.split("\n\n")
    summary = " ".join(paragraphs[0].split())
    example = next((part for part in paragraphs if part.startswith(">>>")), "")
    if example.count("\n") >= EXAMPLE_LINES:
        example = ""
    listed = next((part for part in paragraphs if part.startswith("Args:\n")), "")
    arguments: dict[str, str] = {}
    for entry in ARGUMENT.split(listed)[1:]:
        names, _, about = entry.partition(": ")
        arguments |= dict.fromkeys(names.replace("*", "").split(", "), " ".join(about.split()))
    return {"summary": summary, "example": example, "arguments": arguments, "text": ""}
