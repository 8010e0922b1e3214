"""Read the statements of a kernel's function, except loops.

Input: nodes of a syntax tree. Output: changed local variables. Branches become selections by masks;
`return`, `break` and `continue` clear the mask of the statements after them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..dtypes import OF_PYTHON, DType
from ..errors import KernelError
from .builder import ATOMS, KERNEL_DTYPES, Operand, dtype_of
from .effects import add_to_element, write_element, writes
from .expressions import binary, component_keys, matching
from .locals import LocalFunction, Locals
from .reading import Reading
from .source import own_nodes, stored_names
from .values import AXES, Vector


def read_function(
    reading: Reading,
    tree: ast.FunctionDef,
    names: dict[str, object],
    around: Locals | None = None,
) -> object:
    """Return the result of a function's body for the values of its parameters.

    `around` are the variables of the function in which it is defined.
    """
    local = Locals({})
    local.around, local.own = around, frozenset(stored_names(tree, False))
    for parameter in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
        value = names[parameter.arg]
        if parameter.annotation is not None:
            value = _annotated(reading, parameter.annotation, value)
        local.names[parameter.arg] = value
    reading.block(tree.body, local)
    returns = [part for part in own_nodes(tree) if isinstance(part, ast.Return)]
    valued = any(part.value is not None for part in returns)
    for part in returns:
        if part.value is None and (valued or not writes(reading)):
            raise reading.error(part, "return has no value", "return a number")
    if local.live is not False or local.result is None:
        if not valued and writes(reading):
            return None
        raise reading.error(
            tree.body[-1], "the function may end without a result", "add a return at its end"
        )
    return local.result


# --- assignments ----------------------------------------------------------------------------------


def read_assignment(reading: Reading, node: ast.Assign, local: Locals) -> None:
    value = reading.value(node.value, local)
    for target in node.targets:
        assign(reading, target, value, local)


def read_augmented_assignment(reading: Reading, node: ast.AugAssign, local: Locals) -> None:
    target = node.target
    if isinstance(target, ast.Subscript):
        if not isinstance(reading.value(target.value, local), tuple):
            add_to_element(reading, target, node, local)
            return
    elif not isinstance(target, ast.Name | ast.Attribute):
        raise reading.error(target, "only names can be assigned", "return the new value")
    old, change = reading.value(target, local), reading.value(node.value, local)
    new = binary(reading, node.op, (node, old), (node, change), node)
    assign(reading, target, new, local)


def read_annotated_assignment(reading: Reading, node: ast.AnnAssign, local: Locals) -> None:
    if node.value is not None:
        value = _annotated(reading, node.annotation, reading.value(node.value, local))
        assign(reading, node.target, value, local)


def assign(reading: Reading, target: ast.expr, value: object, local: Locals) -> None:
    """Assign a value to a name or an element, or its parts to a tuple of these."""
    if isinstance(target, ast.Attribute | ast.Subscript):
        owner = reading.value(target.value, local)
        if isinstance(owner, Vector):
            _assign_component(reading, target, owner, value, local)
            return
    if isinstance(target, ast.Subscript):
        write_element(reading, target, reading.as_number(target, value), False, local)
        return
    if isinstance(target, ast.Name):
        local.names[target.id] = value
        local.unset.discard(target.id)
        return
    if not isinstance(target, ast.Tuple | ast.List):
        raise reading.error(target, "only names can be assigned", "return the new value")
    if any(isinstance(part, ast.Starred) for part in target.elts):
        raise reading.error(target, "* is not supported", "write the names one by one")
    if not isinstance(value, tuple):
        raise reading.error(target, "the value is not a tuple", "use one name")
    if len(value) != len(target.elts):
        problem = f"{len(value)} values do not fit {len(target.elts)} names"
        raise reading.error(target, problem, "give as many names")
    for name, part in zip(target.elts, value, strict=True):
        assign(reading, name, part, local)


def _assign_component(
    reading: Reading,
    target: ast.Attribute | ast.Subscript,
    owner: Vector,
    value: object,
    local: Locals,
) -> None:
    """Assign parts of a vector, which gives its variable a new vector."""
    base = target.value
    if isinstance(base, ast.Name) and base.id not in local.names:
        raise reading.error(
            target, f"{base.id} is not a variable of this function", "assign its value to one"
        )
    if isinstance(target, ast.Subscript):
        keys = component_keys(reading, target, local)
        new = _replaced(reading, target, owner, keys, value)
    else:
        letters = target.attr
        parts: Any = value if len(letters) > 1 else (value,)
        if len({*letters}) < len(letters) or not {*letters} <= {*AXES[: len(owner)]}:
            raise reading.error(target, f"parts {letters} cannot be assigned", "use other letters")
        if not isinstance(parts, tuple) or len(parts) != len(letters):
            raise reading.error(target, f"{letters} are {len(letters)} parts", "give as many")
        new = owner
        for letter, part in zip(letters, parts, strict=True):
            new = _replaced(reading, target, new, [AXES.index(letter)], part)
    assign(reading, base, new, local)


def _replaced(
    reading: Reading, node: ast.expr, owner: object, keys: Sequence[Operand], value: object
) -> Vector:
    """Return a vector or matrix in which the part with some indices is another one."""
    if not isinstance(owner, Vector):
        raise reading.error(node, "a number has no elements", "give fewer indices")
    parts = [*owner]
    for number, is_it in matching(reading, node, owner, keys[0]):
        old, new = parts[number], value
        if len(keys) > 1:
            new = _replaced(reading, node, old, keys[1:], value)
        elif _part_count(old) != _part_count(new):
            raise reading.error(node, "the part is of another kind", "give a value like the old")
        parts[number] = new if is_it is True else reading.chosen(is_it, new, old, node)
    return Vector(parts)


def _part_count(value: object) -> int:
    """Return the number of parts of a vector, or 0."""
    return len(value) if isinstance(value, Vector) else 0


def _annotated(reading: Reading, annotation: ast.expr, value: object) -> object:
    """Convert a value to an annotated type, which may only widen it; ignore other annotations."""
    try:
        target = reading.value(annotation, Locals({}))
    except KernelError:
        return value
    if isinstance(target, type):
        target = OF_PYTHON.get(target)
    if not isinstance(target, DType) or target not in KERNEL_DTYPES or not isinstance(value, ATOMS):
        return value
    dtype = dtype_of(value)
    if "biuf".index(dtype.kind) > "biuf".index(target.kind):
        raise reading.error(
            annotation, f"a value of dtype {dtype} is not {target}", "convert it in the body"
        )
    with reading.located(annotation):
        return reading.builder.cast(value, target)


# --- functions ------------------------------------------------------------------------------------


def read_definition(reading: Reading, node: ast.FunctionDef, local: Locals) -> None:
    """Read a function that is defined in a function; its calls read its body."""
    if node.decorator_list:
        raise reading.error(node.decorator_list[0], "decorators are not supported", "remove it")
    local.names[node.name] = local_function(reading, node, local)
    local.unset.discard(node.name)


def read_lambda(reading: Reading, node: ast.Lambda, local: Locals) -> object:
    returned = ast.copy_location(ast.Return(node.body), node.body)
    tree = ast.FunctionDef("<lambda>", node.args, [returned], [], type_params=[])
    return local_function(reading, ast.copy_location(tree, node), local)


def local_function(reading: Reading, tree: ast.FunctionDef, local: Locals) -> LocalFunction:
    parameters = tree.args
    if parameters.vararg or parameters.kwarg:
        raise reading.error(tree, "the function takes * or **", "name its parameters")
    positional = [*parameters.posonlyargs, *parameters.args]
    with_default = positional[len(positional) - len(parameters.defaults) :]
    pairs = [
        *zip(with_default, parameters.defaults, strict=True),
        *zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True),
    ]
    defaults = {own.arg: reading.value(node, local) for own, node in pairs if node is not None}
    return LocalFunction(tree, len(reading.frames), defaults)


# --- control flow ---------------------------------------------------------------------------------


def read_if(reading: Reading, node: ast.If, local: Locals) -> None:
    condition = reading.truth(node.test, local)
    if isinstance(condition, bool):
        reading.block(node.body if condition else node.orelse, local)
        return
    reading.branch(
        condition,
        lambda inner: reading.block(node.body, inner),
        local,
        (lambda inner: reading.block(node.orelse, inner)) if node.orelse else None,
        node,
    )


def read_return(reading: Reading, node: ast.Return, local: Locals) -> None:
    local.live, local.broken, local.returned = False, True, True
    if node.value is None:
        return
    local.result = reading.value(node.value, local)
    parts = local.result if isinstance(local.result, tuple) else (local.result,)
    if not all(isinstance(part, (*ATOMS, tuple)) for part in parts):
        raise reading.error(node.value, "the result is not a number", "return numbers")


def read_break(reading: Reading, node: ast.Break, local: Locals) -> None:
    local.live, local.broken = False, True


def read_continue(reading: Reading, node: ast.Continue, local: Locals) -> None:
    local.live = False


def read_pass(reading: Reading, node: ast.Pass, local: Locals) -> None:
    """Do nothing."""


def read_expression(reading: Reading, node: ast.Expr, local: Locals) -> None:
    """Skip a docstring; read a call of a function without a result; refuse other expressions."""
    match node.value:
        case ast.Constant(str()):
            return
        case ast.Call(ast.Name("print")):
            problem, advice = "print is not supported", "run the function with kernel.python(...)"
            raise reading.error(node, problem, advice)
        case ast.Call() as call if reading.value(call, local) is None:
            return
    raise reading.error(node, "the value is not used", "assign it to a name, or remove it")
