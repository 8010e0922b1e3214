"""Errors point at the line and column of the user's function and say what to write instead."""

from __future__ import annotations

import linecache
import textwrap

import pytest

import py_tensor as pt
from py_tensor.errors import ArgumentError, KernelError
from py_tensor.kernels import vec

CASES = {
    "a set": ("y = {x, x}", "{x, x}", "sets are not supported", "use a tuple"),
    "text": ('y = "a"', '"a"', "text is not supported", "use numbers"),
    "a complex number": ("y = 2j", "2j", "a complex number is not supported", "use numbers"),
    "a comprehension over a number": (
        "y = sum(k for k in x)",
        "x",
        "comprehensions run over a tuple",
        "use a for loop",
    ),
    "a condition of a comprehension": (
        "y = sum(k for k in (1, 2) if k > x)",
        "k > x",
        "the condition is not constant",
        "use a for loop with if",
    ),
    "a comprehension over a range of arguments": (
        "y = sum(k for k in range(n))",
        "range(n)",
        "the range is not constant here",
        "write for k in range(...) as a statement",
    ),
    "a star before a number": (
        "y = max(*x)",
        "*x",
        "the value is not a tuple",
        "write the values one by one",
    ),
    "a key that a dict lacks": (
        'y = DICT["b"]',
        'DICT["b"]',
        "the dict has no 'b'",
        "correct the key",
    ),
    "a key that is not constant": (
        "y = DICT[n]",
        "DICT[n]",
        "the key is not constant",
        "use if and elif",
    ),
    "a component of a constant": (
        "POINT.x = x",
        "POINT.x",
        "POINT is not a variable of this function",
        "assign its value to one",
    ),
    "a component twice": (
        "v = vec(x, x)\nv.xx = (x, x)",
        "v.xx",
        "parts xx cannot be assigned",
        "use other letters",
    ),
    "too few components": (
        "v = vec(x, x)\nv.xy = x",
        "v.xy",
        "xy are 2 parts",
        "give as many",
    ),
    "a row that becomes a number": (
        "v = vec(vec(x, x), vec(x, x))\nv[0] = x",
        "v[0]",
        "the part is of another kind",
        "give a value like the old",
    ),
    "too many indices": (
        "y = vec(x, x)[0, 1]",
        "vec(x, x)[0, 1]",
        "a number has no elements",
        "give fewer indices",
    ),
    "a matrix and a vector": (
        "y = vec(vec(x, x), vec(x, x)) * vec(x, x)",
        "vec(vec(x, x), vec(x, x)) * vec(x, x)",
        "a matrix and a vector have no common parts",
        "use @, or two matrices",
    ),
    "too many integers of uniform": (
        "y = pt.kernels.uniform(0, 1, 2, 3, 4, 5)",
        "pt.kernels.uniform(0, 1, 2, 3, 4, 5)",
        "uniform takes a seed and up to four integers",
        "combine some of them",
    ),
    "try": (
        "try:\n    y = x\nexcept ValueError:\n    y = x",
        "try:",
        "try is not supported",
        "use if",
    ),
    "with": ("with x:\n    y = x", "with x:", "with is not supported", "remove it"),
    "a lambda with a star": (
        "y = (lambda *a: 1)(x)",
        "lambda *a: 1",
        "the function takes * or **",
        "name its parameters",
    ),
    "print": (
        "print(x)",
        "print(x)",
        "print is not supported",
        "run the function with kernel.python(...)",
    ),
    "a value that is not used": (
        "x + 1",
        "x + 1",
        "the value is not used",
        "assign it to a name, or remove it",
    ),
    "else after a loop": (
        "for k in range(3):\n    pass\nelse:\n    x = 1",
        "x = 1",
        "else after a loop is not supported",
        "use a flag",
    ),
    "an unknown name": (
        "y = x + unknown_name",
        "unknown_name",
        "unknown_name is not defined",
        "define it, or pass it as an argument",
    ),
    "a name without a value": (
        "y = x + z\nz = 1",
        "z",
        "z has no value yet",
        "assign it before",
    ),
    "a name with a value on one path": (
        "if x > 0:\n    z = 1\ny = z",
        "z",
        "z may have no value here",
        "assign it before, on all paths",
    ),
    "a name that only a loop assigns": (
        "for k in range(n):\n    z = k\ny = z",
        "z",
        "z may have no value here",
        "assign it before, on all paths",
    ),
    "dtypes that do not fit": (
        "y = n + u",
        "n + u",
        "int32 and uint32 do not fit together",
        'convert one with pt.astype(x, "int32") or pt.astype(x, "uint32")',
    ),
    "bits of a float": (
        "y = x & 1",
        "x & 1",
        "bitwise_and takes integers, not float32",
        "use int(...)",
    ),
    "the inverse of a truth value": ("y = ~(x > 0)", "~(x > 0)", "~ takes integers", "use not"),
    "a large integer": (
        "y = n + 5000000000",
        "n + 5000000000",
        "integer 5000000000 does not fit dtype int32",
        "use a number from -2147483648 to 2147483647",
    ),
    "a matrix product": (
        "y = x @ x",
        "x @ x",
        "@ takes vectors",
        "make them with py_tensor.kernels.vec",
    ),
    "a loop over a number": (
        "for k in x:\n    pass",
        "x",
        "loops run over range or a tuple",
        "use range(...)",
    ),
    "a range of floats": (
        "for k in range(x):\n    pass",
        "x",
        "a float is not an integer",
        "use int(...) or //",
    ),
    "a step of zero": (
        "for k in range(0, 3, 0):\n    pass",
        "range(0, 3, 0)",
        "the step is zero",
        "use another step",
    ),
    "an element of a number": (
        "y = x[0]",
        "x[0]",
        "a number has no elements",
        "use pt.kernel(shape=...) for a kernel that reads tensors at positions",
    ),
    "a method": ("y = x.sum()", "x.sum", "numbers have no sum", "use a function"),
    "a function that is not known": (
        "y = sorted((x, x))",
        "sorted((x, x))",
        "sorted cannot be called here",
        "use functions of math, elementwise functions of py_tensor, or your own",
    ),
    "wrong arguments": (
        "y = abs(x, x)",
        "abs(x, x)",
        "wrong arguments of abs",
        "give numbers",
    ),
    "an index beyond a tuple": (
        "y = (x, x)[2]",
        "(x, x)[2]",
        "the tuple has 2 parts",
        "use a smaller index",
    ),
    "too many names": (
        "a, b = x, x, x",
        "a, b",
        "3 values do not fit 2 names",
        "give as many names",
    ),
    "membership": ("y = x in (1, 2)", "x in (1, 2)", "is and in are not supported", "use =="),
    "an assignment to an element": (
        "x[0] = 1",
        "x[0]",
        "a number has no elements",
        "use pt.kernel(shape=...) for a kernel that writes tensors at positions",
    ),
    "a tuple that grows in a loop": (
        "t = (x,)\nfor k in range(3):\n    t = (x, x)",
        "for k in range(3):",
        "t changes its kind in a loop",
        "use another name",
    ),
    "branches of different kinds": (
        "if x > 0:\n    t = 1\nelse:\n    t = (1, 2)\ny = t",
        "if x > 0:",
        "the branches give values of different kinds",
        "give numbers in both",
    ),
    "a return without a value": ("return", "return", "return has no value", "return a number"),
    "a captured tensor": (
        "y = x + TENSOR",
        "TENSOR",
        "Tensor is not a number",
        "pass it as an argument",
    ),
    "recursion": ("y = recursive(x)", "recursive(x)", "recursive calls itself", "use a loop"),
    "a decorated nested function": (
        "@pt.kernel\ndef g(a):\n    return a",
        "pt.kernel",
        "decorators are not supported",
        "remove it",
    ),
    "a nested function that calls itself": (
        "def g(a):\n    return g(a)\ny = g(x)",
        "g(a)",
        "g calls itself",
        "use a loop",
    ),
    "a name of a nested function": (
        "def g(a):\n    b = a\n    return b\ny = g(x) + b",
        "b",
        "b is not defined",
        "define it, or pass it as an argument",
    ),
}
IN_OTHERS = {"recursion": "recursive", "a nested function that calls itself": "g"}
"""Cases whose error is in another function than the kernel's."""
DICT = {"a": 1.0, 0: 2.0}
POINT = vec(1.0, 2.0)


def recursive(x):
    return recursive(x)


def made(text, *, name="bad", **options):
    """Define a function from its text, as a notebook does."""
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {**globals(), "TENSOR": pt.asarray([1.0])}
    exec(compile(text, file, "exec"), names)
    return pt.kernel(names[name], **options), file


@pytest.mark.parametrize("case", CASES)
def test_error(case):
    lines, got, problem, advice = CASES[case]
    text = f"def bad(x, n, u):\n{textwrap.indent(lines, '    ')}\n    return x\n"
    kernel, file = made(text)
    with pytest.raises(KernelError) as caught:
        kernel(pt.asarray([1.0]), 2, pt.asarray([1], dtype="uint32"))
    found = str(caught.value).splitlines()
    if case in IN_OTHERS:
        assert found[0] == f"{IN_OTHERS[case]}: {problem}; got {got}; {advice}"
        return
    assert found[0] == f"bad: {problem}; got {got}; {advice}"
    row = next(n for n, line in enumerate(text.splitlines(), 1) if got in line and n > 1)
    assert found[1].startswith(f'  File "{file}", line ')
    at = int(found[1].rpartition(" ")[2])
    assert got in text.splitlines()[at - 1], (row, at)
    assert found[3].index("^") == found[2].rindex(got)
    assert found[3].strip() == "^" * len(got)


def test_the_whole_text():
    def bad(x):
        y = x * 2.0
        return y + missing  # noqa: F821

    kernel = pt.kernel(bad)
    with pytest.raises(KernelError) as caught:
        kernel(1.0)
    line = bad.__code__.co_firstlineno + 2
    assert str(caught.value) == (
        "bad: missing is not defined; got missing; define it, or pass it as an argument\n"
        f'  File "{__file__}", line {line}\n'
        "    return y + missing  # noqa: F821\n"
        "               ^^^^^^^"
    )


def test_letters_beyond_ascii_do_not_move_the_caret():
    kernel, _ = made("def bad(größe):\n    return größe + ärger\n")
    with pytest.raises(KernelError) as caught:
        kernel(1.0)
    *_, line, caret = str(caught.value).splitlines()
    assert caret.index("^") == line.index("ärger")


def test_the_wrong_number_of_indices():
    kernel, _ = made("def bad(i, x):\n    return x[i, i]\n", shape=lambda x: x.shape)
    with pytest.raises(KernelError, match=r"bad: x has 1 axes; got x\[i, i\]; give 1 indices\n"):
        kernel(pt.ones(3))


def test_a_tensor_as_a_number():
    kernel, _ = made("def bad(i, x):\n    return x + 1\n", shape=lambda x: x.shape)
    text = r"bad: a tensor is not a number; got x; read an element, as in x\[i, j\]\n"
    with pytest.raises(KernelError, match=text):
        kernel(pt.ones(3))


def test_an_index_that_is_a_float():
    kernel, _ = made("def bad(i, x):\n    return x[i / 2]\n", shape=lambda x: x.shape)
    text = r"bad: a float is not an integer; got i / 2; use int\(...\) or //\n"
    with pytest.raises(KernelError, match=text):
        kernel(pt.ones(3))


@pytest.mark.parametrize(
    "body", ["if x > 0:\n        return 1", "while True:\n        return 1", "y = x"]
)
def test_a_path_without_a_result(body):
    kernel, _ = made(f"def bad(x):\n    {body}\n")
    with pytest.raises(KernelError, match="bad: the function may end without a result; got "):
        kernel(1.0)


def test_a_function_without_a_source():
    names = {}
    exec("def now" + "here(x):\n    return x + 1\n", names)
    with pytest.raises(KernelError) as caught:
        pt.kernel(names["nowhere"])
    assert str(caught.value) == (
        "kernel: source of nowhere is not available; got a function from <string>; give its text "
        "with pt.kernel(source=...), or define it in a file"
    )
    text = "def nowhere(x):\n    return x + 1\n"
    assert pt.kernel(names["nowhere"], source=text)(1.0).item() == 2.0


def test_a_function_in_a_cell():
    text = "import py_tensor as pt\n\n@pt.kernel\ndef cell(x):\n    return x * FACTOR\n"
    file = "<ipython-input-1>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"FACTOR": 3}
    exec(compile(text, file, "exec"), names)
    assert names["cell"](2.0).item() == 6.0


def test_a_function_in_exec_of_a_text_in_a_variable():
    source = "\ndef first(x):\n    return x\n\n@pt.kernel\ndef cell(x):\n    return x * 4\n"
    names = {"pt": pt}
    exec(source, names)
    assert names["cell"](2.0).item() == 8.0


def test_the_second_of_two_functions_of_one_name():
    source = "\n".join(f"@pt.kernel\ndef cell(x):\n    return x * {n}\n" for n in (3, 5))
    names = {"pt": pt}
    exec(source, names)
    assert names["cell"](2.0).item() == 10.0
    assert "x * 3" not in pt.explain(names["cell"](2.0))


def test_lines_of_a_function_in_exec():
    source = "import py_tensor as pt\n\n@pt.kernel\ndef cell(x):\n    return {x}\n"
    names = {}
    exec(source, names)
    with pytest.raises(KernelError, match=r'File "<string>", line 5\n    return \{x\}\n'):
        names["cell"](2.0)


def test_lambdas_and_builtins():
    with pytest.raises(KernelError, match="kernel: source of <lambda> has no definition with def"):
        pt.kernel(lambda x: x)
    with pytest.raises(KernelError, match="kernel: function is not written in Python; got "):
        pt.kernel(abs)


def test_options():
    with pytest.raises(ArgumentError, match="kernel: border is unknown; got 'mirror'; use "):
        pt.kernel(border="mirror")
    with pytest.raises(ArgumentError, match="kernel: max_steps is too small; got 0; use 1 or more"):
        pt.kernel(max_steps=0)
    with pytest.raises(ArgumentError, match="kernel: source must be text; got 5; "):
        pt.kernel(source=5)


def test_an_error_in_a_helper_points_at_the_helper():
    text = "def inner(a):\n    return {a}\n\ndef bad(x):\n    return inner(x)\n"
    kernel, _ = made(text)
    with pytest.raises(KernelError) as caught:
        kernel(1.0)
    assert str(caught.value).splitlines()[0].startswith("inner: sets are not supported; got {a};")
    assert ", line 2\n" in str(caught.value)


def test_parameters():
    def many(*values):
        return values[0]

    def none():
        return 1.0

    with pytest.raises(ArgumentError, match=r"kernel: many takes \* or \*\*; got parameters \(\)"):
        pt.kernel(many)
    with pytest.raises(ArgumentError, match="kernel: none takes no element; got no parameters"):
        pt.kernel(none)
