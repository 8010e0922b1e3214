"""Hand-written shaders: `pt.glsl_kernel`."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from plans import kernels, leaf, plan_of

import py_tensor as pt
from py_tensor.errors import (
    ArgumentError,
    BackendError,
    DTypeError,
    GradientError,
    KernelError,
    ShaderError,
    ShapeError,
)
from py_tensor.runtime import executor

rng = np.random.default_rng(3)
IMAGE = rng.random((5, 7), "float32")

BLUR = """
// The mean of three neighbours.
const float THIRD = 1.0 / 3.0;

float element(int i, int j) {
  return strength * THIRD * (u(i, j - 1) + u(i, j) + u(i, j + 1));
}
"""


def blur_of_tensors(u, strength):
    padded = pt.concat([u[:, :1], u, u[:, -1:]], axis=1)
    return (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) * (strength / 3.0)


def blurred(u, strength):
    padded = np.pad(u, ((0, 0), (1, 1)), mode="edge")
    return (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) * np.float32(strength / 3)


def blur_kernel(**options):
    given = {
        "inputs": {"u": "float32"},
        "uniforms": {"strength": "float32"},
        "shape": lambda u, strength: u.shape,
        "name": "blur",
        "reference": blur_of_tensors,
    }
    return pt.glsl_kernel(BLUR, **(given | options))


def test_values_and_the_reference():
    blur = blur_kernel()
    assert_values(blur(pt.asarray(IMAGE), 1.0), blurred(IMAGE, 1.0), rtol=1e-5)
    assert_values(blur(u=pt.asarray(IMAGE), strength=3), blurred(IMAGE, 3.0), rtol=1e-5)


def test_one_shader_is_drawn_for_all_numbers_and_sizes(webgl):
    blur = blur_kernel()
    results = blur(leaf(5, 7), 1.0), blur(leaf(4, 9), 2.0)
    assert len({draw.shader.source for draw in plan_of(*results).draws}) == 1


def test_a_draw_of_its_own(webgl):
    before = pt.asarray(IMAGE) * 2.0
    result = blur_kernel()(before, 1.0) + 1.0
    del before
    assert kernels(result) == ["map multiply", "map blur", "map add"]
    assert_values(result, blurred(IMAGE * 2, 1.0) + 1, rtol=1e-5)


def test_operands_of_another_shape_or_order(webgl):
    blur = blur_kernel()
    flat = pt.asarray(IMAGE.reshape(-1))
    pt.realize(flat)
    result = blur(flat.reshape((5, 7)), 1.0)
    assert len(plan_of(result).draws) == 1
    assert_values(result, blurred(IMAGE, 1.0), rtol=1e-5)
    assert_values(blur(pt.asarray(IMAGE).T, 1.0), blurred(IMAGE.T, 1.0), rtol=1e-5)
    assert_values(blur(pt.ones((2, 3)), 1.0), np.ones((2, 3), "float32"), rtol=1e-5)


def test_names_that_the_shader_uses_itself(webgl):
    source = """
    int v1(int x) { return x + 1; }
    float P(float x) { return 2.0 * x; }
    float element(int i) { return P(e(v1(i))) + t + float(shape[0] - e_shape[0]); }
    """
    with pytest.raises(KernelError, match="name is taken"):
        pt.glsl_kernel("float element(int i) { int F = 1; return 1.0; }", shape=(1,))
    kernel = pt.glsl_kernel(
        source,
        inputs={"e": "float32"},
        uniforms={"t": "float32"},
        shape=lambda e, t: (4,),
    )
    x = np.asarray([1, 2, 3], "float32")
    assert kernel(pt.asarray(x), 0.5).tolist() == [5.5, 7.5, 7.5, 7.5]


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "bool"])
@pytest.mark.parametrize("given", ["float16", "float32", "int32", "uint8", "uint32", "bool"])
def test_dtypes(dtype, given, webgl):
    scalar = {"float32": "float", "int32": "int", "uint32": "uint", "bool": "bool"}[dtype]
    kernel = pt.glsl_kernel(
        f"{scalar} element(int i, int j) {{ return x(j, i); }}",
        inputs={"x": dtype},
        shape=lambda x: x.shape[::-1],
        dtype=dtype,
    )
    x = (IMAGE * 4).astype(given)
    inside = {"float16": "float32", "uint8": "int32"}.get(given, given)
    order = ["bool", "int32", "uint32", "float32"]
    fits = order.index(inside) <= order.index(dtype) and {inside, dtype} != {"int32", "uint32"}
    if fits:
        assert_values(kernel(pt.asarray(x)), x.T.astype(dtype))
    else:
        assert_raises(
            DTypeError,
            f"glsl_kernel: x must be {dtype}; got {inside}; convert it with .astype, or declare "
            "another dtype",
            lambda: kernel(pt.asarray(x)),
        )


def test_several_inputs_uniforms_and_axes(webgl):
    kernel = pt.glsl_kernel(
        """
        int element(int h, int i, int j) {
          int found = flag ? a(h, i) * n : int(b()) + int(m);
          return found + 100 * j;
        }
        """,
        inputs={"a": "int32", "b": "float32"},
        uniforms={"n": "int32", "m": "uint32", "flag": "bool"},
        shape=lambda a, b, n, m, flag: (*a.shape, 3),
        dtype="int32",
    )
    a = np.arange(10, dtype="int32").reshape(2, 5)
    wide = np.broadcast_to(a[:, :, None], (2, 5, 3)) * 7 + 100 * np.arange(3)
    assert_values(kernel(pt.asarray(a), 0.5, 7, 9, True), wide.astype("int32"))
    low = np.broadcast_to(2 + 9 + 100 * np.arange(3), (2, 5, 3))
    assert_values(kernel(pt.asarray(a), pt.asarray(2.5), 7, 9, False), low.astype("int32"))
    assert kernel(pt.asarray(a[:1, :1]), 0, 7, 3_000_000_000, False).tolist()[0][0][0] < 0
    with pytest.raises(DTypeError, match=r"^glsl_kernel: .*-1"):
        kernel(pt.asarray(a), 0.5, 7, -1, True)
    with pytest.raises(DTypeError, match=r"^glsl_kernel: n must be int32; got float32"):
        kernel(pt.asarray(a), 0.5, 7.5, 1, True)


def test_no_inputs(webgl):
    kernel = pt.glsl_kernel(
        "float element(int i, int j) { return float(10 * i + j); }", shape=(2, 3)
    )
    assert kernel().tolist() == [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]


def test_large_tensors(webgl):
    x = rng.random((300, 301), "float32")
    assert_values(blur_kernel()(pt.asarray(x), 1.0), blurred(x, 1.0), rtol=1e-5)


def test_jit_and_vmap():
    blur = blur_kernel()
    step = pt.jit(lambda u, strength: blur(u * 2.0, strength))
    for strength in (1.0, 2.0):
        assert_values(step(pt.asarray(IMAGE), strength), blurred(IMAGE * 2, strength), rtol=1e-5)
    stack = np.stack([IMAGE, IMAGE[::-1]])
    result = pt.vmap(lambda u: blur(u, 1.0))(pt.asarray(stack))
    assert_values(result, np.stack([blurred(each, 1.0) for each in stack]), rtol=1e-5)


def test_gradients_need_a_rule(webgl):
    moved = pt.glsl_kernel(
        "float element(int i) { return u(i - 1); }",
        inputs={"u": "float32"},
        shape=lambda u: u.shape,
        name="moved",
    )
    with pytest.raises(GradientError, match=r"^moved: hand-written shaders have no gradient"):
        pt.grad(lambda u: moved(u).sum())(pt.ones(3))

    @moved.gradient
    def rule(g, u):
        return (pt.concat([g[:1] + g[1:2], g[2:], g[:1] * 0.0]),)

    gradient = pt.grad(lambda u: (moved(u) * pt.asarray([1.0, 2.0, 3.0])).sum())(pt.ones(3))
    assert gradient.tolist() == [3.0, 3.0, 0.0]


def test_memory_is_exact():
    u = pt.asarray(IMAGE)
    before = pt.memory()
    with pt.tidy():
        kept = pt.keep(blur_kernel()(u, 1.0))
    pt.realize(kept)
    assert pt.memory().num_tensors == before.num_tensors + 1
    assert pt.memory().num_bytes == before.num_bytes + IMAGE.nbytes
    kept.dispose()
    assert pt.memory().num_bytes == before.num_bytes


def test_explain_shows_the_source(webgl):
    text = pt.explain(blur_kernel()(pt.asarray(IMAGE), 1.0))
    assert "source of blur\n" in text
    assert "#line 1 1\n\n// The mean of three neighbours.\n" in text


def test_errors_of_the_driver_have_the_lines_of_the_source(webgl):
    wrong = pt.glsl_kernel(
        "float half_of(float x) {\n  return 0.5 * x;\n}\n"
        "float element(int i) {\n  return half_of(u(i)) + missing;\n}",
        inputs={"u": "float32"},
        shape=lambda u: u.shape,
        name="wrong",
    )
    with pytest.raises(ShaderError) as raised:
        wrong(pt.ones(40)).tolist()
    text = str(raised.value)
    assert text.startswith("shader wrong: ")
    assert "'missing' : undeclared identifier" in text
    assert text.endswith(
        "3 | }\n4 | float element(int i) {\n5 |   return half_of(u(i)) + missing;\n"
        "  |                          ^^^^^^^\n6 | }"
    )
    # The context is as before.
    assert_values(blur_kernel()(pt.asarray(IMAGE), 1.0), blurred(IMAGE, 1.0), rtol=1e-5)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "float element(int i) {\n  discard;\n}",
            "k: discard leaves an element without a value; got discard; return a value\n"
            "  line 2\n      discard;\n      ^^^^^^^",
        ),
        (
            "  #define A 1\nfloat element(int i) { return 1.0; }",
            "k: lines of the preprocessor are not supported; got #define A 1; use const and "
            "functions\n  line 1\n      #define A 1\n      ^^^^^^^^^^^",
        ),
        (
            "float element(int i) { return 1.0; } }\nvoid f() {",
            "k: it closes nothing; got }; balance the brackets\n"
            "  line 1\n    float element(int i) { return 1.0; } }\n" + " " * 41 + "^",
        ),
        (
            "float element(int i) {\n  return (1.0;\n}",
            "k: it closes nothing; got }; balance the brackets\n  line 3\n    }\n    ^",
        ),
        (
            "float element(int i) {\n  return 1.0;",
            "k: it is not closed; got {; balance the brackets\n"
            "  line 1\n    float element(int i) {\n" + " " * 25 + "^",
        ),
        (
            "void main() { }",
            "k: main is written for you; got void main; define a function element(...)\n"
            "  line 1\n    void main() { }\n    ^^^^^^^^^",
        ),
        (
            "uniform float a; float element(int i) { return a; }",
            "k: declarations of the shader are not supported; got uniform; name tensors in "
            "inputs= and numbers in uniforms=\n  line 1\n"
            "    uniform float a; float element(int i) { return a; }\n    ^^^^^^^",
        ),
        (
            "float elements(int i) { return 1.0; } // element(",
            "k: source has no function element; got 'float elements(int i) { return 1.0; } // "
            "element('; define it with one int for each axis of the result",
        ),
    ],
)
def test_refused_sources(source, text):
    assert_raises(KernelError, text, lambda: pt.glsl_kernel(source, shape=(3,), name="k"))


def test_comments_may_contain_anything(webgl):
    source = "/* discard } #define */ float element(int i) {\n// void main( é\nreturn 1.0; }"
    assert pt.glsl_kernel(source, shape=(2,))().tolist() == [1.0, 1.0]


def test_errors_of_arguments():
    blur = blur_kernel()
    assert_raises(
        ArgumentError,
        "blur: arguments do not fit; got 1 arguments and names []; give u, strength",
        lambda: blur(pt.ones((2, 2))),
    )
    assert_raises(
        ArgumentError,
        "blur: arguments do not fit; got 2 arguments and names ['u']; give u, strength",
        lambda: blur(pt.ones((2, 2)), 1.0, u=1.0),
    )
    with pytest.raises(ArgumentError, match=r"^blur: strength is a uniform; got .*number"):
        blur(pt.ones((2, 2)), pt.ones(2))
    with pytest.raises(DTypeError, match="kernels have no complex numbers"):
        blur(pt.asarray([[1j]]), 1.0)
    for name in ("gl_u", "float", "x0", "shape", "u_shape", "2u", "a__b", "element", "é"):
        with pytest.raises(ArgumentError, match="a name that a shader cannot use"):
            blur_kernel(inputs={name: "float32"})
    with pytest.raises(ArgumentError, match=r"^blur: two parameters are u"):
        blur_kernel(uniforms={"u": "float32"})
    with pytest.raises(DTypeError, match=r"^blur: u cannot be int8; got int8; use float32"):
        blur_kernel(inputs={"u": "int8"})
    with pytest.raises(ArgumentError, match=r"^blur: inputs must be a dict"):
        blur_kernel(inputs=["u"])
    with pytest.raises(ArgumentError, match=r"^glsl_kernel: name must be a name"):
        blur_kernel(name="a b")
    with pytest.raises(ArgumentError, match=r"^blur: too many inputs; got 15; use at most 14"):
        blur_kernel(inputs={f"a{n}": "float32" for n in range(15)})


def test_tensors_without_elements_cannot_be_read(webgl):
    with pytest.raises(ShapeError, match=r"^blur: a tensor has no elements to read"):
        blur_kernel()(pt.ones((0, 2)), 1.0)


def test_backends_without_shaders_need_a_reference(engine):
    pt.set_backend("numpy" if engine.name == "webgl" else engine.name)
    used = pt.get_backend()
    assert_raises(
        BackendError,
        f"blur: hand-written shaders run on WebGL only; got backend {used}; use "
        'pt.set_backend("webgl"), or give a Python function as reference=',
        lambda: blur_kernel(reference=None)(pt.ones((2, 2)), 1.0),
    )
    assert_raises(
        ShapeError,
        "blur: reference must return float32 of shape (2, 2); got float32 of shape (2,); convert "
        "its result",
        lambda: blur_kernel(reference=lambda u, strength: u[0])(pt.ones((2, 2)), 1.0),
    )
    executor.use(engine)


@pytest.mark.parametrize(
    ("used", "problem"),
    [
        ("numpy", "hand-written shaders run on WebGL only"),
        ("python", "plain Python cannot compute this operation"),
    ],
)
def test_a_call_cannot_move_to_a_backend_without_shaders(webgl, used, problem):
    result = blur_kernel()(pt.ones((2, 2)), 1.0)
    pt.set_backend(used)
    assert_raises(
        BackendError,
        f"blur: {problem}; got backend {used}; call pt.realize before you change the backend, or "
        'use pt.set_backend("webgl")',
        result.tolist,
    )
    executor.use(webgl)
    assert_values(result, np.ones((2, 2), "float32"), rtol=1e-6)
