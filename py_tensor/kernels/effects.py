"""Read what a kernel's function does besides returning: writes, shared arrays and barriers.

Input: assignments to elements, and calls of `pt.shared`, `pt.barrier` and `pt.local_index`. Output:
statements of the program.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

from ..dtypes import as_dtype, bool_, int32
from ..errors import DTypeError
from . import workgroups
from .builder import KERNEL_DTYPES, Mismatch, Operand, Truth, common, dtype_of, typed
from .expressions import READ_AND_WRITTEN, read_indices
from .locals import Locals, SharedArgument, TensorArgument
from .program import Barrier, Input, SharedArray, Write
from .reading import Reading

SHARED_BYTES = 16_384
"""Bytes of shared arrays that every device of WebGPU has."""


def writes(reading: Reading) -> bool:
    """Return True if the kernel writes a tensor."""
    return any("written" in accesses for accesses in reading.accesses.values())


# --- assignments to elements ----------------------------------------------------------------------


def add_to_element(
    reading: Reading, target: ast.Subscript, node: ast.AugAssign, local: Locals
) -> None:
    """Read `array[...] += value` or `-= value`."""
    if not isinstance(node.op, ast.Add | ast.Sub):
        raise reading.error(node, "elements have =, += and -= alone", "write the new value with =")
    value = reading.number(node.value, local)
    if isinstance(node.op, ast.Sub):
        with reading.located(node):
            value = reading.builder.apply("subtract", 0, value)
    write_element(reading, target, value, True, local)


def write_element(
    reading: Reading, target: ast.Subscript, value: Operand, adds: bool, local: Locals
) -> None:
    """Append the write of an element, which is left out at positions outside of the array."""
    array = reading.value(target.value, local)
    if isinstance(array, tuple):
        raise reading.error(target, "parts of a tuple cannot be assigned", "make a new tuple")
    if not isinstance(array, TensorArgument | SharedArgument):
        reading.as_number(target.value, array)
        raise reading.error(
            target,
            "a number has no elements",
            "pass a tensor with axes, for example pt.zeros(n)"
            if reading.coordinates
            else "use pt.kernel(shape=...) for a kernel that writes tensors at positions",
        )
    build = reading.builder
    reading.outside_reads += 1
    owner = array.array if isinstance(array, SharedArgument) else array.operand
    dtype = owner.dtype if isinstance(owner, SharedArray) else owner.var.dtype
    indices = [*read_indices(reading, target, array, local)]
    with reading.located(target):
        if isinstance(owner, Input) and owner.argument >= reading.arguments:
            raise Mismatch("a tensor of the enclosing scope is written", "pass it as an argument")
        if not isinstance(owner, SharedArray):
            reading.accesses.setdefault(owner, set()).add("written")
            if "read" in reading.accesses[owner]:
                raise Mismatch(*READ_AND_WRITTEN)
        if adds and dtype is bool_:
            raise Mismatch("bool arrays have no += and -=", "use an int32 array, or =")
        position: Operand = 0
        inside: Truth = True
        for axis, (index, length) in enumerate(zip(indices, array.lengths, strict=True)):
            above = build.truth(build.apply("greater_equal", index, 0))
            below = build.truth(build.apply("less", index, length))
            inside = build.both(build.both(inside, above), below)
            start = build.apply("multiply", position, length) if axis else 0
            position = build.apply("add", start, index) if axis else index
        position = typed(build.select(inside, position, -1), int32)
        if common((value, typed(0, dtype))) is not dtype:
            convert = "int(...)" if dtype is int32 else f'pt.astype(value, "{dtype}")'
            raise Mismatch(
                f"a value of dtype {dtype_of(value)} does not fit an array of {dtype}",
                f"use {convert}",
            )
        atoms = tuple([typed(index, int32) for index in indices])
        new = build.promoted(value, dtype)
        build.add(Write(owner, atoms, position, new, adds, reading.site(target)))


# --- groups ---------------------------------------------------------------------------------------


def _needs_groups(reading: Reading, node: ast.Call) -> None:
    reading.outside_reads += 1
    if not reading.workgroup:
        raise reading.error(
            node, "the kernel has no groups", "give their lengths with pt.kernel(workgroup=...)"
        )


def _shared(
    reading: Reading, node: ast.Call, args: Sequence[object], keywords: dict[str, object]
) -> SharedArgument:
    """Declare a shared array."""
    _needs_groups(reading, node)
    if reading.masks or reading.loops:
        raise reading.error(
            node, "a shared array is made in a branch or loop", "make it at the function's start"
        )
    named = {**dict(zip(("shape", "dtype"), args, strict=False)), **keywords}
    shape = named.get("shape")
    lengths = shape if isinstance(shape, tuple) else (shape,)
    whole = [length for length in lengths if type(length) is int and length > 0]
    if not whole or len(whole) < len(lengths) or len(args) > 2 or {*named} - {"shape", "dtype"}:
        raise reading.error(
            node, "shared takes a constant shape and a dtype", 'write pt.shared((16, 16), "int32")'
        )
    try:
        # Names, Python's types and dtypes are converted, as everywhere.
        dtype = as_dtype(named.get("dtype", "float32"), "shared")
    except DTypeError:
        dtype = None
    if dtype not in KERNEL_DTYPES:
        raise reading.error(
            node, "the dtype is none of kernels", "use float32, int32, uint32 or bool"
        )
    array = SharedArray(len(reading.shared) + 1, tuple(whole), dtype)
    reading.shared.append(array)
    nbytes = sum(4 * math.prod(array.shape) for array in reading.shared)
    if nbytes > SHARED_BYTES:
        raise reading.error(
            node, f"shared arrays take {nbytes} bytes", f"use at most {SHARED_BYTES}"
        )
    return SharedArgument(array)


def _barrier(
    reading: Reading, node: ast.Call, args: Sequence[object], keywords: dict[str, object]
) -> None:
    _needs_groups(reading, node)
    if args or keywords:
        raise reading.error(node, "barrier takes no arguments", "write pt.barrier()")
    reading.builder.add(Barrier(reading.site(node)))


def _local_index(
    reading: Reading, node: ast.Call, args: Sequence[object], keywords: dict[str, object]
) -> object:
    """Return the element's indices in its group, or its index if the space has one axis."""
    _needs_groups(reading, node)
    if args or keywords:
        raise reading.error(node, "local_index takes no arguments", "write pt.local_index()")
    return reading.local if len(reading.local) > 1 else reading.local[0]


ReadCall = Callable[[Reading, ast.Call, Sequence[object], dict[str, object]], object]
GROUP_CALLS: dict[object, ReadCall] = {
    workgroups.shared: _shared,
    workgroups.barrier: _barrier,
    workgroups.local_index: _local_index,
}
"""Function that reads a call, by the Python function that is called."""
