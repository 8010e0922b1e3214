"""Names of a program, and the values of its expressions, as far as its text tells them."""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from known_values import (
    Defined,
    FunctionNode,
    Instance,
    Known,
    Value,
    annotated,
    attribute,
    instance_of,
    returned,
)

import py_tensor as pt

REPAIRS = 40
"""Lines that are replaced at most until the rest of a program can be read."""
DEPTH = 24
"""Expressions that are looked up for one, at most."""
NEVER_IMPORTED = {"antigravity", "this", "idlelib", "turtledemo", "__main__"}
"""Modules that act when they are imported."""
OF_THE_PAGE = {"py_tensor", "playground", "pyodide", "js"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
NESTED = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DISPLAYS: dict[type, type] = {
    ast.JoinedStr: str,
    ast.ListComp: list,
    ast.Set: set,
    ast.SetComp: set,
    ast.DictComp: dict,
}
"""Class of the object that each kind of expression makes."""


def parsed(source: str) -> ast.Module:
    """Return the tree of a program; lines that cannot be read are left out."""
    lines = source.splitlines()
    replaced: set[int] = set()
    for _ in range(REPAIRS):
        try:
            return ast.parse("\n".join(lines))
        except SyntaxError as error:
            line = min(error.lineno or len(lines), len(lines)) - 1
        except ValueError:  # null bytes
            break
        while line > 0 and not lines[line].strip():
            line -= 1
        indent = _indent(lines[line])
        following = next((text for text in lines[line + 1 :] if text.strip()), "")
        # The lines of a block are kept.
        word = "if 1:" if _indent(following) > indent else "pass"
        lines[line] = "" if line in replaced else " " * indent + word
        replaced.add(line)
    return ast.Module([], [])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def import_module(name: str) -> Any:
    """Import a module of the library, the page or Python; return None for others."""
    top = name.partition(".")[0]
    allowed = top in OF_THE_PAGE or top in sys.stdlib_module_names - NEVER_IMPORTED
    if not allowed and name not in sys.modules:
        return None
    try:
        return importlib.import_module(name)
    except Exception:  # a module of Python that the page has not
        return None


@dataclass(frozen=True)
class Binding:
    """Line that binds a name.

    Attributes:
        line: The line.
        role: "value", "element" of a value, "annotation", "entered" by `with`, "definition",
            "import" or "self".
        node: Expression, definition or import.
        path: Position in a tuple that is unpacked.
        parts: Path of the imported module, and the name in it.
        scope: Scope of the expression, if that is not the one that has the name.
    """

    line: int
    role: str
    node: ast.AST
    path: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()
    scope: Scope | None = None


@dataclass
class Scope:
    """Names that the program, a function or a class binds."""

    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: Scope | None = None

    def add(self, name: str, *binding: Any, **more: Any) -> None:
        self.bindings.setdefault(name, []).append(Binding(*binding, **more))


def _own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Return the nodes of a block, without those of functions and classes in it."""
    for node in body:
        waiting: list[ast.AST] = [node]
        while waiting:
            inner = waiting.pop()
            yield inner
            if not isinstance(inner, NESTED):
                waiting.extend(reversed([*ast.iter_child_nodes(inner)]))


def bind(scope: Scope, body: list[ast.stmt]) -> None:
    """Add the names that a block binds."""
    for node in _own_nodes(body):
        match node:
            case ast.Assign():
                for target in node.targets:
                    _bind_target(scope, target, node.lineno, "value", node.value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                scope.add(name, node.lineno, "annotation", node.annotation)
            case ast.NamedExpr(target=ast.Name(id=name)):
                scope.add(name, node.lineno, "value", node.value)
            case ast.For() | ast.AsyncFor():
                _bind_target(scope, node.target, node.lineno, "element", node.iter)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        target = item.optional_vars
                        _bind_target(scope, target, node.lineno, "entered", item.context_expr)
            case ast.ExceptHandler(name=str(name)) if node.type is not None:
                scope.add(name, node.lineno, "annotation", node.type)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                scope.add(node.name, node.lineno, "definition", node)
            case ast.Import() | ast.ImportFrom(module=str(), level=0):
                _bind_import(scope, node)


def _bind_import(scope: Scope, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        bound = alias.asname or alias.name.partition(".")[0]
        # `import a.b` imports both, and binds the first.
        parts: tuple[str, ...] = (alias.name,) if alias.asname else (alias.name, "")
        if isinstance(node, ast.ImportFrom):
            parts = (node.module or "", alias.name)
        scope.add(bound, node.lineno, "import", node, parts=parts)


def _bind_target(
    scope: Scope, target: ast.expr, line: int, role: str, value: ast.AST, path: tuple[int, ...] = ()
) -> None:
    match target:
        case ast.Name(id=name):
            scope.add(name, line, role, value, path)
        case ast.Tuple() | ast.List():
            for at, inner in enumerate(target.elts):
                _bind_target(scope, inner, line, role, value, (*path, at))


class Program:
    """A program's text, with the names of the last run.

    Args:
        source: The text, which may have mistakes.
        line: Line of the cursor, from 1.
        left: Values of names after the last run.
    """

    def __init__(self, source: str, line: int, left: Mapping[str, Value]) -> None:
        self.tree = parsed(source)
        self.left = left
        self.line = line
        self.globals = Scope()
        bind(self.globals, self.tree.body)
        self.owners: dict[ast.AST, ast.AST] = {}
        self._own(self.tree)
        self._depth = 0
        self._scopes: dict[FunctionNode, Scope] = {}
        self._classes: dict[ast.ClassDef, Scope] = {}
        # While a value is looked up, it is None, which ends recursions of the program.
        self._values: dict[int, Value | None] = {}
        self._results: dict[FunctionNode, Value | None] = {}
        self.scope = self._scope_at(line)

    def _own(self, owner: ast.AST) -> None:
        body: list[ast.stmt] = getattr(owner, "body", [])
        for node in _own_nodes(body):
            if isinstance(node, DEFINITIONS):
                self.owners[node] = owner
                self._own(node)

    def _scope_at(self, line: int) -> Scope:
        inside = [
            node
            for node in self.owners
            if isinstance(node, FunctionNode) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        return self.scope_of(inside[-1]) if inside else self.globals

    def scope_of(self, function: FunctionNode) -> Scope:
        """Return the names of a function, and of those around it."""
        if function not in self._scopes:
            self._scopes[function] = self._make_scope(function)
        return self._scopes[function]

    def _make_scope(self, function: FunctionNode) -> Scope:
        owner = self.owners[function]
        around: ast.AST = owner
        while isinstance(around, ast.ClassDef):
            around = self.owners[around]
        outer = self.scope_of(around) if isinstance(around, FunctionNode) else self.globals
        scope = Scope(outer=outer)
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
        pairs = [*zip(positional, defaults, strict=True)]
        for argument, default in (
            *pairs,
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ):
            if argument.annotation is not None:
                scope.add(argument.arg, function.lineno, "annotation", argument.annotation)
            elif isinstance(owner, ast.ClassDef) and positional[:1] == [argument]:
                scope.add(argument.arg, function.lineno, "self", owner)
            elif default is not None:
                scope.add(argument.arg, function.lineno, "value", default)
            else:
                scope.add(argument.arg, function.lineno, "unknown", argument)
        bind(scope, function.body)
        return scope

    def value(self, expression: str) -> Value | None:
        """Return the value of an expression at the cursor; None if it is not known."""
        try:
            node = ast.parse(expression.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        return self.infer(node, self.scope, self.line + 1)

    def infer(self, node: ast.AST, scope: Scope, line: int) -> Value | None:
        """Return the value of an expression before a line of a scope."""
        if self._depth >= DEPTH:
            return None
        self._depth += 1
        try:
            return self._inferred(node, scope, line)
        finally:
            self._depth -= 1

    def _inferred(self, node: ast.AST, scope: Scope, line: int) -> Value | None:
        match node:
            case ast.Constant():
                return Instance(type(node.value))
            case ast.Name():
                return self._name(node.id, scope, line)
            case ast.Attribute():
                return self.attribute(self.infer(node.value, scope, line), node.attr)
            case ast.Call():
                return self._called(self.infer(node.func, scope, line))
            case ast.Await() | ast.NamedExpr():
                return self.infer(node.value, scope, line)
            case ast.BinOp():
                return self._operated(node, scope, line)
            case ast.UnaryOp():
                return self.infer(node.operand, scope, line)
            case ast.Compare():
                left = self.infer(node.left, scope, line)
                return left if _is_tensor(left) else Instance(bool)
            case ast.IfExp():
                return self.infer(node.body, scope, line) or self.infer(node.orelse, scope, line)
            case ast.BoolOp():
                return self.infer(node.values[0], scope, line)
            case ast.Subscript():
                return self._element(self.infer(node.value, scope, line), node.slice)
            case ast.Tuple() | ast.List():
                items = tuple(self.infer(item, scope, line) for item in node.elts)
                return Instance(tuple if isinstance(node, ast.Tuple) else list, items=items)
            case ast.Dict():
                return Instance(dict, keys=tuple(_texts(node.keys)))
        kind = DISPLAYS.get(type(node))
        return None if kind is None else Instance(kind)

    def _name(self, name: str, scope: Scope, line: int) -> Value | None:
        place: Scope | None = scope
        while place is not None:
            bindings = place.bindings.get(name, [])
            before = [binding for binding in bindings if binding.line < line]
            for binding in (before[::-1] or bindings)[:3]:
                if value := self._bound(binding, place):
                    return self._with_last_run(name, value, place)
            if bindings:
                break
            # A function may use what is bound after it.
            place, line = place.outer, sys.maxsize
        if place is None or place is self.globals:
            left = self._left(name)
            if left is not None:
                return left
        found = None if place is not None else getattr(builtins, name, None)
        return None if found is None else Known(found)

    def _with_last_run(self, name: str, value: Value, scope: Scope) -> Value:
        """Return a value with what the last run tells of it, if that was of the same class."""
        left = self._left(name) if scope is self.globals else None
        if isinstance(left, Instance) and isinstance(value, Instance) and left.kind is value.kind:
            return left
        return value

    def _left(self, name: str) -> Value | None:
        """Return what the last run tells of a name; its class may be one that the text defines."""
        left = self.left.get(name)
        if isinstance(left, Instance) and isinstance(left.kind, ast.ClassDef):
            for binding in self.globals.bindings.get(left.kind.name, []):
                if isinstance(binding.node, ast.ClassDef):
                    return replace(left, kind=binding.node)
        return left

    def _bound(self, binding: Binding, scope: Scope) -> Value | None:
        if id(binding) not in self._values:
            self._values[id(binding)] = None
            self._values[id(binding)] = self._bound_now(binding, binding.scope or scope)
        return self._values[id(binding)]

    def _bound_now(self, binding: Binding, scope: Scope) -> Value | None:
        node, line = binding.node, binding.line
        match binding.role:
            case "definition":
                return Defined(node)  # type: ignore[arg-type]
            case "self":
                return Instance(node)  # type: ignore[arg-type]
            case "import":
                return self._imported(binding.parts)
            case "annotation":
                lookup = lambda part: self.infer(part, scope, line)  # noqa: E731
                return annotated(node, lookup)  # type: ignore[arg-type]
            case "unknown":
                return None
        value = self.infer(node, scope, line if binding.scope is None else line + 1)
        if binding.role == "element":
            value = self._element(value, None)
        elif binding.role == "entered":
            value = self._called(self.attribute(value, "__enter__")) or value
        for at in binding.path:
            value = self._element(value, ast.Constant(at))
        return value

    def _imported(self, parts: tuple[str, ...]) -> Value | None:
        module = import_module(parts[0])
        if parts[1:] == ("",):
            module = sys.modules.get(parts[0].partition(".")[0])
        if module is None:
            return None
        if not parts[1:] or not parts[1]:
            return Known(module)
        return attribute(Known(module), parts[1]) or self._imported((".".join(parts),))

    def _called(self, value: Value | None) -> Value | None:
        """Return the result of a call."""
        if value is None:
            return None
        if made := instance_of(value):
            return made
        if isinstance(value, Known):
            return returned(value.value, value.owner)
        if isinstance(value, Instance):
            calls = (self.attribute(value, name) for name in ("__call__", "forward"))
            return next((result for call in calls if (result := self._called(call))), None)
        function = value.node
        assert isinstance(function, FunctionNode)
        if function not in self._results:
            self._results[function] = None
            self._results[function] = self._result(function)
        return self._results[function]

    def _result(self, function: FunctionNode) -> Value | None:
        """Return what a function of the program returns."""
        scope = self.scope_of(function)
        if function.returns is not None:
            return annotated(
                function.returns, lambda part: self.infer(part, self.globals, sys.maxsize)
            )
        results = (n.value for n in _own_nodes(function.body) if isinstance(n, ast.Return))
        last = function.end_lineno or 0
        found = (self.infer(result, scope, last + 1) for result in results if result is not None)
        return next((result for result in found if result), None)

    def _operated(self, node: ast.BinOp, scope: Scope, line: int) -> Value | None:
        sides = [self.infer(side, scope, line) for side in (node.left, node.right)]
        tensors = [side for side in sides if _is_tensor(side)]
        if tensors:
            return Instance(pt.Tensor)
        if isinstance(node.op, ast.Div):
            return Instance(float)
        return sides[0] or sides[1]

    def _element(self, value: Value | None, index: ast.expr | None) -> Value | None:
        if not isinstance(value, Instance):
            return None
        if _is_tensor(value):
            return Instance(pt.Tensor)
        if value.kind in (range, str, bytes):
            return Instance(str if value.kind is str else int)
        if isinstance(value.kind, type) and issubclass(value.kind, tuple) and index is not None:
            at = index.value if isinstance(index, ast.Constant) else None
            if isinstance(at, int) and at < len(fields := getattr(value.kind, "_fields", ())):
                return self.attribute(value, fields[at])
            return value.items[at] if isinstance(at, int) and at < len(value.items) else None
        if value.items:
            return value.items[0]
        return self._called(self.attribute(value, "__getitem__" if index else "__next__"))

    def attribute(self, value: Value | None, name: str) -> Value | None:
        """Return an attribute of a value."""
        if isinstance(value, Known) or (
            isinstance(value, Instance) and isinstance(value.kind, type)
        ):
            return attribute(value, name)
        if isinstance(value, Instance) and name in value.attributes:
            return value.attributes[name]
        for owner in self.classes(value):
            if not isinstance(owner, ast.ClassDef):
                return attribute(owner, name)
            scope = self.attributes_of(owner)
            for binding in scope.bindings.get(name, []):
                found = self._bound(binding, scope)
                is_method = isinstance(value, Instance) and isinstance(found, Defined)
                if found:
                    return Defined(found.node, True) if is_method else found  # type: ignore[union-attr]
        return None

    def classes(self, value: Value | None) -> Iterator[ast.ClassDef | Known | Instance]:
        """Return a class of the program and its bases; those of libraries as they are."""
        node = value.node if isinstance(value, Defined) else getattr(value, "kind", None)
        if not isinstance(node, ast.ClassDef):
            return
        yield node
        for base in node.bases:
            found = self.infer(base, self.globals, node.lineno)
            if isinstance(found, Defined) and found.node is not node:
                yield from self.classes(found)
            elif isinstance(found, Known) and isinstance(found.value, type):
                yield found if isinstance(value, Defined) else Instance(found.value)

    def attributes_of(self, node: ast.ClassDef) -> Scope:
        """Return what a class of the program binds: in its body, and to its objects in methods."""
        if node in self._classes:
            return self._classes[node]
        scope = self._classes[node] = Scope(outer=self.globals)
        bind(scope, node.body)
        for method in node.body:
            if not isinstance(method, FunctionNode) or not method.args.args:
                continue
            own = method.args.args[0].arg
            inner = self.scope_of(method)
            for part in _own_nodes(method.body):
                if not isinstance(part, ast.Assign):
                    continue
                for target in part.targets:
                    match target:
                        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == own:
                            scope.add(attr, part.lineno, "value", part.value, scope=inner)
        return scope


def _texts(keys: list[ast.expr | None]) -> Iterator[str]:
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _is_tensor(value: Value | None) -> bool:
    return isinstance(value, Instance) and value.kind is pt.Tensor
