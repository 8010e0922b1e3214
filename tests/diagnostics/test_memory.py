"""Memory counts are exact, loops do not grow, and errors name the place of disposal."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.compiler.workgroups.plan import nbytes_of

OPERATIONS = {
    "elementwise": (lambda x: x + 1, 64),
    "comparison": (lambda x: x > 0, 16),
    "reduction": (lambda x: x.sum(axis=0), 16),
    "long reduction": (lambda x: pt.broadcast_to(x, (4096, 4, 4)).sum(), 4),
    "view": (lambda x: x.T, 64),
    "slice": (lambda x: x[1:3], 32),
    "matmul": (lambda x: x @ x, 64),
    "padded matmul": (lambda x: x[:3] @ x[:, :3], 36),
    "convolution": (lambda x: pt.conv2d(x.reshape((1, 4, 4, 1)), pt.ones((3, 3, 1, 4))), 64),
    "softmax": (lambda x: pt.softmax(x), 64),
    "concat": (lambda x: pt.concat([x, x]), 128),
    "pad": (lambda x: pt.pad(x, 2), 256),
    "cast": (lambda x: x.astype("int8"), 16),
    "random": (lambda x: pt.random.normal((4, 4), key=pt.random.key(0)), 64),
    "creation": (lambda x: pt.eye(4), 64),
    "argmax": (lambda x: x.argmax(axis=1), 16),
}


def texture_bytes(nbytes_per_texel, size):
    texels = max(1, -(-size // 4))
    return nbytes_per_texel * (1 << (texels - 1).bit_length())


@pytest.mark.parametrize("name", OPERATIONS)
def test_counts_are_exact(name, engine):
    function, nbytes = OPERATIONS[name]
    start = pt.memory()
    x = pt.asarray(np.ones((4, 4), "float32"))
    with_x = pt.memory()
    assert (with_x.num_tensors - start.num_tensors, with_x.num_bytes - start.num_bytes) == (1, 64)
    y = function(x)
    pt.realize(y)
    now = pt.memory()
    assert (
        now.num_tensors - with_x.num_tensors,
        now.num_data_buffers - with_x.num_data_buffers,
    ) == (1, 1)
    assert now.num_bytes - with_x.num_bytes == nbytes == y.nbytes
    if engine.name == "webgl":
        textures = texture_bytes(16, 16) * (name not in ("random", "creation"))
        textures += texture_bytes(4 * (y.dtype.itemsize), y.size) * (name != "view")
        textures -= texture_bytes(16, 16) * (name == "view" and not textures)
        if name == "view":
            textures += texture_bytes(16, 16)
        assert now.num_bytes_in_gpu - start.num_bytes_in_gpu == textures
    elif engine.name == "webgpu":
        buffers = nbytes_of(y.dtype, y.size) + 64 * (name not in ("random", "creation"))
        assert now.num_bytes_in_gpu - start.num_bytes_in_gpu == buffers
    del y
    assert pt.memory().num_tensors == with_x.num_tensors
    del x
    end = pt.memory()
    assert (end.num_tensors, end.num_bytes, end.num_bytes_in_gpu) == (
        start.num_tensors,
        start.num_bytes,
        start.num_bytes_in_gpu,
    )


def test_handles_on_one_value():
    start = pt.memory()
    x = pt.ones(5)
    y = pt.copy(x)
    now = pt.memory()
    assert (now.num_tensors - start.num_tensors, now.num_data_buffers - start.num_data_buffers) == (
        2,
        1,
    )
    assert now.num_bytes - start.num_bytes == 20
    assert not now.unreliable
    del x, y


def test_a_loop_without_tidy_does_not_grow(engine):
    x = pt.asarray(np.ones((8, 8), "float32"))
    seen = set()
    for step in range(1000):
        x = (x * 1.01 - 0.005).astype("float32")
        if step % 100 == 99:
            pt.realize(x)
            memory = pt.memory()
            seen.add((memory.num_tensors, memory.num_bytes, memory.num_bytes_in_gpu))
    assert len(seen) == 1


def test_a_loop_without_reads_does_not_grow(engine):
    x = pt.asarray(np.ones((8, 8), "float32"))
    for _ in range(3000):
        x = x + 1.0
        assert pending_nodes(x) <= 2 * pt.env.flush_threshold + 1
    assert x[0, 0].item() == 3001


def pending_nodes(x):
    """Count the operations that have to run before `x` has a value."""
    found, stack = set(), [x._node]
    while stack:
        node = stack.pop()
        if node.call is not None and id(node) not in found:
            found.add(id(node))
            stack += node.srcs
    return len(found)


def test_the_pool_keeps_freed_textures(engine):
    if pt.env.pool_limit is None:
        assert pt.memory().num_bytes_in_gpu == pt.memory().num_bytes_in_gpu_free == 0
        return
    getattr(engine, "bridge", engine).trim()
    assert pt.memory().num_bytes_in_gpu_free == 0
    x = pt.asarray(np.ones((64, 64), "float32")) * 2
    pt.realize(x)
    used = pt.memory().num_bytes_in_gpu
    del x
    free = pt.memory()
    assert free.num_bytes_in_gpu_free >= 64 * 64 * 4
    y = pt.asarray(np.ones((64, 64), "float32")) * 2
    pt.realize(y)
    again = pt.memory()
    assert again.num_bytes_in_gpu == used
    assert (
        again.num_bytes_in_gpu + again.num_bytes_in_gpu_free
        == free.num_bytes_in_gpu + free.num_bytes_in_gpu_free
    )


# --- disposal ---


def test_dispose_twice_and_in_containers():
    x, y, z = pt.ones(1), pt.ones(2), pt.ones(3)
    pt.dispose(x)
    x.dispose()
    pt.dispose([y], {"z": (z,)})
    assert x.is_disposed and y.is_disposed and z.is_disposed


def test_use_after_dispose():
    x = pt.ones(3)
    line = "test_memory.py:" + str(test_use_after_dispose.__code__.co_firstlineno + 3)
    x.dispose()
    text = (
        f"tensor was disposed; got a tensor disposed of at {line}; keep it with pt.keep, or return "
        "it from the tidy that made it"
    )
    uses = {
        "add": lambda: x + 1,
        "exp": lambda: pt.exp(x),
        "sum": lambda: x.sum(),
        "tolist": lambda: x.tolist(),
        "tensor": lambda: x.shape,
        "getitem": lambda: x[0],
        "matmul": lambda: x @ x,
        "numpy": lambda: x.numpy(),
        "astype": lambda: x.astype("int32"),
        "reshape": lambda: x.reshape((3, 1)),
        "realize": lambda: pt.realize(x),
        "explain": lambda: pt.explain(x),
        "setitem": lambda: x.__setitem__(0, 1),
        "item": lambda: x.item(),
        "keep": lambda: pt.keep(x),
        "where": lambda: pt.where(x, x, x),
        "concat": lambda: pt.concat([x]),
    }
    for operation, use in uses.items():
        assert_raises(errors.DisposedError, f"{operation}: {text}", use)
    assert repr(x) == f"tensor(disposed at {line})"


def test_pending_work_keeps_its_operands():
    x = pt.asarray([1.0, 2.0])
    y = x * 3
    x.dispose()
    assert y.tolist() == [3, 6]
