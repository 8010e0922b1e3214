"""Read the statements of a kernel's function, except loops.

Input: nodes of a syntax tree. Output: changed local variables. Branches become selections by masks;
`return`, `break` and `continue` clear the mask of the statements after them.
"""

from __future__ import annotations

import ast

from ..dtypes import OF_PYTHON, DType
from ..errors import KernelError
from .builder import ATOMS, KERNEL_DTYPES, dtype_of
from .effects import add_to_element, write_element, writes
from .expressions import binary, read_name
from .locals import Locals
from .reading import Reading


def read_function(reading: Reading, tree: ast.FunctionDef, names: dict[str, object]) -> object:
    """Return the result of a function's body for the values of its parameters."""
    local = Locals({})
    for parameter in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
        value = names[parameter.arg]
        if parameter.annotation is not None:
            value = _annotated(reading, parameter.annotation, value)
        local.names[parameter.arg] = value
    reading.block(tree.body, local)
    returns = [part for part in ast.walk(tree) if isinstance(part, ast.Return)]
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
        add_to_element(reading, target, node, local)
        return
    if not isinstance(target, ast.Name):
        raise reading.error(target, "only names can be assigned", "return the new value")
    old, change = read_name(reading, target, local), reading.value(node.value, local)
    new = binary(reading, node.op, (node, old), (node, change), node)
    assign(reading, target, new, local)


def read_annotated_assignment(reading: Reading, node: ast.AnnAssign, local: Locals) -> None:
    if node.value is not None:
        value = _annotated(reading, node.annotation, reading.value(node.value, local))
        assign(reading, node.target, value, local)


def assign(reading: Reading, target: ast.expr, value: object, local: Locals) -> None:
    """Assign a value to a name or an element, or its parts to a tuple of these."""
    if isinstance(target, ast.Subscript):
        write_element(reading, target, reading.as_number(target, value), False, local)
        return
    if isinstance(target, ast.Name):
        local.names[target.id] = value
        local.unset.discard(target.id)
        return
    if not isinstance(target, ast.Tuple):
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
