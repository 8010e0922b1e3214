"""Functions and formulas printed in GLSL and WGSL, and as functions of Python numbers."""

from __future__ import annotations

import ast
import math
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from op_defs import dtypes_of

import py_tensor as pt
from py_tensor.dtypes import bool_, float32, int32
from py_tensor.language.glsl import GLSL
from py_tensor.language.plain import function as plain
from py_tensor.language.printer import Body, Function
from py_tensor.language.statements import Statements
from py_tensor.language.wgsl import WGSL
from py_tensor.ops import OP_DEFS
from py_tensor.ops.host_functions import FUNCTIONS
from py_tensor.ops.op_def import Elementwise, Fixed, Reduction, for_dtype

PACKAGE = Path(pt.__file__).parent
PAGE = Path(__file__).parent.parent.parent / "docs" / "kernels.md"


def both(formula, kinds, result):
    return tuple(
        printer.formula(formula, kinds, result).text.format(*"xyzw") for printer in (GLSL, WGSL)
    )


@pytest.mark.parametrize(
    ("formula", "kinds", "result", "glsl", "wgsl"),
    [
        ("x - (y - 1)", "ff", "f", "x - (y - 1.0)", "x - (y - 1.0)"),
        ("(x - y) - 1", "ff", "f", "x - y - 1.0", "x - y - 1.0"),
        ("x / (y * 2.0)", "ff", "f", "x / (y * 2.0)", "x / (y * 2.0)"),
        ("-x", "u", "u", "0u - x", "0u - x"),
        ("x >> 9 | 1", "u", "u", "(x >> 9) | 1u", "(x >> vec4<u32>(9u)) | vec4<u32>(1u)"),
        ("x < 1", "i", "m", "uvec4(lessThan(x, ivec4(1)))", "vec4<u32>(x < vec4<i32>(1))"),
        ("not x", "m", "m", "x ^ 1u", "x ^ vec4<u32>(1u)"),
        (
            "y if x else 0",
            "mi",
            "i",
            "pt_pick(bvec4(x), y, ivec4(0))",
            "select(vec4<i32>(0), y, vec4<bool>(x))",
        ),
        (
            "x < y < 2.0",
            "ff",
            "b",
            "bvec4(uvec4(lessThan(x, y)) & uvec4(lessThan(y, vec4(2.0))))",
            "(x < y) & (y < vec4<f32>(2.0))",
        ),
        ("shift_left(x, y)", "ii", "i", "pt_shift_left(x, y)", "pt_shift_left_i(x, y)"),
        ("remainder(x, y)", "uu", "u", "pt_remainder_u(x, y)", "pt_remainder_u(x, y)"),
        ("x - (32 - 13)", "u", "u", "x - 19u", "x - 19u"),
        ("-INF", "f", "f", "vec4(-PT_INF)", "vec4<f32>(-PT_INF())"),
    ],
)
def test_formulas(formula, kinds, result, glsl, wgsl):
    assert both(formula, kinds, result) == (glsl, wgsl)


def body(text):
    (tree,) = ast.parse(text).body
    return [Body(p, "f", Function(tree), None).text.split("\n") for p in (GLSL, WGSL)]


def test_statements():
    glsl, wgsl = body(
        "def f(x: float32, n: int32) -> float32:\n"
        "    r = 1.0\n"
        "    for k in range(2):\n"
        "        r *= x + float32(k)\n"
        "    if any_element(x < 0.0):\n"
        "        r = -r if x < 0.0 and n == 1 else r\n"
        "    return r\n"
    )
    assert glsl == [
        "vec4 pt_f(vec4 x, ivec4 n) {",
        "  vec4 r = vec4(1.0);",
        "  for (int k = 0; k < 2; k++) {",
        "    r = r * (x + float(k));",
        "  }",
        "  if (any(lessThan(x, vec4(0.0)))) {",
        "    r = mix(r, -r, bvec4(uvec4(lessThan(x, vec4(0.0))) & uvec4(equal(n, ivec4(1)))));",
        "  }",
        "  return r;",
        "}",
    ]
    assert wgsl == [
        "fn pt_f(x: vec4<f32>, n: vec4<i32>) -> vec4<f32> {",
        "  var r = vec4<f32>(1.0);",
        "  for (var k = 0; k < 2; k++) {",
        "    r = r * (x + f32(k));",
        "  }",
        "  if (any(x < vec4<f32>(0.0))) {",
        "    r = select(r, -r, (x < vec4<f32>(0.0)) & (n == vec4<i32>(1)));",
        "  }",
        "  return r;",
        "}",
    ]


def test_unknown_functions_and_kinds_that_differ():
    with pytest.raises(NameError, match="unknown is no function"):
        GLSL.formula("unknown(x)", "f", "f")
    with pytest.raises(TypeError, match="is of kind i, not f"):
        GLSL.formula("x + y", "fi", "f")
    with pytest.raises(NameError, match="u has no value"):
        GLSL.formula("x + u", "f", "f")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("x = 1.0", "x is a parameter"),
        ("r = n // 2", "integers are divided by floor_divide"),
        ("r = n / 2", "integers are divided by floor_divide"),
        ("if x < 1.0:\n        r = x", "if takes any_element"),
        ("while True:\n        r = x", "While is not in the language"),
    ],
)
def test_statements_outside_of_the_language(statement, error):
    with pytest.raises(TypeError, match=error):
        body(f"def f(x: float32, n: int32) -> float32:\n    {statement}\n    return x\n")


def test_a_shader_includes_what_it_uses_once():
    text = "\n".join(GLSL.included("pt_log(x) + pt_log1p(x) + pt_other(x)"))
    names = re.findall(r"^vec4 (\w+)\(", text, re.MULTILINE)
    assert names == ["pt_log_near", "pt_log", "pt_copysign", "pt_log1p"]


def test_plain_functions():
    assert plain("x / y", 2, FUNCTIONS)(-1.0, 0.0) == -math.inf
    assert plain("~x", 1, FUNCTIONS)(True) is False
    assert plain("1.0 / (1.0 + exp(-x))", 1, FUNCTIONS)(-1e4) == 0.0
    assert plain("native.sign(x)", 1, FUNCTIONS)(-3) == -1


def test_every_formula_is_a_function_of_python_numbers():
    for op in OP_DEFS.values():
        if isinstance(op, Elementwise) and op.formula:
            for dtype in [*getattr(op, "takes", dtypes_of(op))]:
                op.host(dtype)(*[1] * op.arity)
        if isinstance(op, Reduction):
            assert op.host(float32)(1, 1) == (2 if op.name == "sum" else 1)


def forms():
    """Yield each public operation with its forms and error, for the first dtype that it allows."""
    for op in OP_DEFS.values():
        if not isinstance(op, Elementwise) or isinstance(op, Fixed) or not op.public:
            continue
        dtype = next(d for d in (float32, int32, bool_) if d in dtypes_of(op))
        kinds = ("m" if dtype is bool_ else dtype.kind) * op.arity
        if op.name == "where":
            kinds = "m" + kinds[1:]
        result = "m" if op.result == "bool" or dtype is bool_ else dtype.kind
        exact = result != "f" or op.tolerance == 0.0
        error = np.format_float_scientific(op.tolerance, trim="-", exp_digits=1)
        texts = both(for_dtype(op.formula, dtype), kinds, result)
        yield op.name, *texts, "exact" if exact else error


def page_of_forms():
    """Return the table and the paragraph about forms in docs/kernels.md."""
    rows = ["| Function | GLSL | WGSL | Relative error up to |", "|---|---|---|---|"]
    included = []
    for name, *texts, error in forms():
        if texts[0].startswith("pt_"):
            included.append(f"`{name}` ({error})")
        else:
            cells = [f"`{text}`".replace("|", r"\|") for text in (name, *texts)]
            rows.append(f"| {' | '.join(cells)} | {error} |")
    text = (
        "Functions of more operations are included in the shader, in both languages with their "
        f"relative errors: {', '.join(included)}."
    )
    return "\n".join(rows) + "\n\n" + textwrap.fill(text, 118, break_long_words=False) + "\n"


def test_page_lists_every_function(request):
    page = PAGE.read_text()
    first, last = page.index("| Function | GLSL |"), page.index("\nTheir text is in")
    text = page[:first] + page_of_forms() + page[last:]
    if request.config.getoption("rewrite_golden"):
        PAGE.write_text(text)
    assert text == PAGE.read_text()


def test_no_variable_has_the_name_of_a_type():
    # In WGSL a variable may have the name of a type, which then means the variable.
    for prefix in "ifu":
        code = Statements(WGSL)
        names = {code.variable(number, prefix).text for number in range(40)}
        assert len(names) == 40
        assert f"{prefix}31" in names and f"{prefix}32" not in names
