"""Formulas and functions, printed as WebAssembly and run by wasmtime, have NumPy's values."""

import ctypes
from typing import Any

import numpy as np
import pytest
import reference
from formulas import SPECIAL, arrays, cases, expected, kind, stored
from numeric_exceptions import SIGN_OF_ZERO, absolute
from op_defs import ELEMENTWISE, dtypes_of, each, tolerance

from py_tensor.dtypes import bool_, float32, int32, uint32
from py_tensor.ir.node import tensor_spec
from py_tensor.language.printer import ONE
from py_tensor.language.tree import ValueKind
from py_tensor.language.wasm import WASM
from py_tensor.language.wasm_text import assemble
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import for_dtype

wasmtime = pytest.importorskip("wasmtime")
ENGINE = wasmtime.Engine() if wasmtime else None


def run(text, inputs, length):
    """Run a kernel on arrays of 32-bit words; return those that it stores after them."""
    store = wasmtime.Store(ENGINE)
    size = length * 4
    pages = (len(inputs) + 1) * size // 65536 + 1
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(pages, None)))
    instance = wasmtime.Instance(store, wasmtime.Module(ENGINE, assemble(text)), [memory])
    base = ctypes.addressof(memory.data_ptr(store).contents)
    for number, values in enumerate(inputs):
        ctypes.memmove(base + number * size, values.tobytes(), size)
    instance.exports(store)["kernel"](store, size)
    return np.frombuffer(ctypes.string_at(base + len(inputs) * size, size), np.uint32)


def kernel(printer, text, kinds, result, size):
    """Return the text of a kernel that applies a formula to each element."""
    step = 4 * printer.lanes
    load, store = ("v128.load", "v128.store") if step == 16 else ("i32.load", "i32.store")
    lines = [".func:kernel n:i32 ->", ".local:k:i32"]
    lines.append("i32.const:0 .set:k .loop:again")
    for number, k in enumerate(kinds):
        read = f"k {load}:{number * size}"
        if k == "m":
            read += " i32x4.neg" if step == 16 else ""
        elif k == "f" and step == 4:
            read += " f32.reinterpret_i32"
        lines.append(
            f"{read} .local:x{number}:{printer.types[ValueKind(k), printer.lanes]} .set:x{number}"
        )
    if result == "m" and step == 16:
        text += " i32x4.const:1 v128.and"
    elif result == "f" and step == 4:
        text += " i32.reinterpret_f32"
    lines.append(f"k {text} {store}:{len(kinds) * size}")
    lines.append(f"k i32.const:{step} i32.add .tee:k n i32.lt_u .br_if:again .end")
    return "\n".join([*printer.included(text), *lines])


def computed(formula: str, dtypes: Any, result: Any, operands: Any, printer: Any = WASM) -> Any:
    """Compute a formula of arrays of equal length."""
    length = -(-operands[0].size // 4) * 4
    kinds = tuple(ValueKind(kind(dtype)) for dtype in dtypes)
    printed = printer.formula(formula, kinds, ValueKind(kind(result))).text
    names = printed.format(*[f"x{number}" for number in range(len(kinds))])
    text = kernel(printer, names, kinds, kind(result), 4 * length)
    words = [
        np.resize(values.astype(stored(dtype)), length).view(np.uint32)
        for values, dtype in zip(operands, dtypes, strict=True)
    ]
    values = run(text, words, length).view(stored(result))[: operands[0].size]
    return values.astype(bool) if result is bool_ else values


PRINTERS = pytest.mark.parametrize("printer", [WASM, WASM.of_one], ids=["four", "one"])


@PRINTERS
@pytest.mark.parametrize(("op", "dtype"), cases())
def test_formulas_compute_values_of_numpy(op, dtype, printer):
    specs = [tensor_spec((), dtype)] * op.arity
    if op.name == "where":
        specs = [tensor_spec((), bool_), *specs[1:]]
    inferred = op.infer(specs, None)
    given = arrays(np.random.default_rng(20), op, dtype)
    formula = for_dtype(op.formula, inferred.operands[-1])
    got = computed(formula, inferred.operands, inferred.dtype, given, printer)
    rtol = max(tolerance(op, inferred.dtype), 3e-7 if inferred.dtype.kind == "f" else 0.0)
    np.testing.assert_allclose(
        got, expected(op, given).astype(got.dtype), rtol=rtol, atol=absolute(op.name)
    )


@PRINTERS
@each([op for op in ELEMENTWISE if float32 in dtypes_of(op) and op.name != "where"])
def test_infinities_nan_and_signed_zeros(op, printer):
    given = [np.ravel(values) for values in np.meshgrid(*[SPECIAL] * op.arity, indexing="ij")]
    result = op.infer([tensor_spec((), float32)] * op.arity, None).dtype
    formula = for_dtype(op.formula, float32)
    got = computed(formula, [float32] * op.arity, result, given, printer)
    wanted = reference.result(op.name, *given)
    np.testing.assert_allclose(got, wanted, rtol=max(op.tolerance, 1e-6), atol=absolute(op.name))
    if result is float32:
        signed = ~np.isnan(wanted) & ((wanted != 0) | (op.name not in SIGN_OF_ZERO))
        assert (np.signbit(got) == np.signbit(wanted))[signed].all()


@pytest.mark.parametrize("dtype", [float32, int32, uint32], ids=str)
@pytest.mark.parametrize(("name", "wins"), [("argmax", np.greater), ("argmin", np.less)])
def test_winners_of_argmax(name, wins, dtype):
    rng = np.random.default_rng(4)
    x, y, z, w = (rng.integers(0, 4, 256) for _ in range(4))
    given = [x.astype(dtype.name), y.astype("int32"), z.astype(dtype.name), w.astype("int32")]
    combine = for_dtype(OP_DEFS[name].combine, dtype)
    got = computed(combine, [dtype, int32, dtype, int32], bool_, given)
    np.testing.assert_array_equal(got, wins(x, z) | (x == z) & (y < w))


def test_every_function_is_valid():
    names = []
    for name in WASM.blocks:
        function = WASM.function(name)
        if function is not None:
            names += [f"pt_{name}_{kind}" for kind in function.kinds] or [f"pt_{name}"]
    names += [name + ONE for name in names]
    assert len(names) > 120
    text = "\n".join([*WASM.included(" ".join(names)), ".func:kernel ->"])
    wasmtime.Module.validate(ENGINE, assemble(text))
