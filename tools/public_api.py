"""What the package's stubs and its reference are written from: where names are from, signatures."""

import ast
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from itertools import pairwise, zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import py_tensor

ROOT = Path(__file__).parent.parent
PACKAGE = py_tensor.__name__


def imports_of(module: ModuleType) -> dict[str, str]:
    """The import statement behind each name that a module imports or assigns."""
    found = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            home = importlib.util.resolve_name(package, module.__package__)
            for name in node.names:
                alias = f" as {name.asname}" if name.asname else ""
                found[name.asname or name.name] = f"from {home} import {name.name}{alias}"
        elif isinstance(node, ast.ClassDef):
            found[node.name] = f"from {module.__name__} import {node.name}"
    return found


def parameters_of(
    signature: inspect.Signature,
    annotation: Callable[[str], str],
    default: Callable[[Any], str | None],
) -> list[str]:
    """A signature's parameters as code; other defaults than plain ones as `default` writes them.

    `annotation` and `default` may give "" and None for what is not to be seen.
    """
    parameters = signature.parameters.values()
    shown = []
    for parameter, following in zip_longest(parameters, list(parameters)[1:]):
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text = f"{star}{parameter.name}"
        annotated = parameter.annotation is not parameter.empty and annotation(parameter.annotation)
        if annotated:
            text += f": {annotated}"
        if parameter.default is not parameter.empty:
            value = literal(parameter.default) or default(parameter.default) or "..."
            text += f" = {value}" if annotated else f"={value}"
        shown.append(text)
        after = following.kind if following else None
        if parameter.kind is parameter.POSITIONAL_ONLY and after is not parameter.kind:
            shown.append("/")
        if after is parameter.KEYWORD_ONLY and parameter.kind not in (
            after,
            parameter.VAR_POSITIONAL,
        ):
            shown.append("*")
    if parameters and next(iter(parameters)).kind is inspect.Parameter.KEYWORD_ONLY:
        shown.insert(0, "*")
    return shown


def literal(value: Any) -> str:
    """How a number, a text or None is written; "" for all else."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if isinstance(value, (bool, int, float, type(None))) else ""


def attributes_of(body: list[ast.stmt]) -> dict[str, tuple[str, str]]:
    """The annotation and the text of each attribute of a class or module with a text behind it."""
    found = {}
    for node, following in pairwise(body):
        match node, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name), annotation=annotation),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = ast.unparse(annotation), inspect.cleandoc(text)
            case (
                ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = "", inspect.cleandoc(text)
    return found


def write(files: Mapping[str, str | None], check: bool, what: str) -> int:
    """Writes files by their paths in the repository, or says which differ; gives the exit status.

    A file whose text is None goes.
    """
    stale = []
    for name, text in files.items():
        path = ROOT / name
        if (path.read_text() if path.exists() else None) != text:
            stale.append(name)
            if check:
                continue
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    if check and stale:
        print(
            f"{what}: out of date; got {', '.join(stale)}; run make {what}",
            file=sys.stderr,
        )
    return int(check and bool(stale))
