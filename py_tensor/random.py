"""Seeded, counter-based random numbers, identical on every backend.

The generator is Threefry-2x32 with 20 rounds (Salmon et al. 2011). Its key has two 32-bit words and
its counter is the element's position, so that the bits equal JAX's (jax_threefry_partitionable).
Functions called without a key use a global key, which `seed` sets, or the key of a `seeded` block;
each such call advances it. A key as the first argument selects JAX's order of parameters.

A key is a tensor of its two words. Words that are known, or numbers of a traced function, are used
as a pair of integers, which shaders get as uniforms.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any

from .dtypes import FLOAT_END, as_dtype, described, float32, int32, shown, uint32, wrong_type
from .errors import ArgumentError, DTypeError, ShapeError
from .functions.arguments import MOST_STEPS, a_shape, integer, lengths_of, number, one_axis
from .functions.conversion import asarray
from .functions.creation import arange, zeros
from .functions.decorators import named
from .functions.elementwise import astype, clip, erf, erfinv, log, maximum, nextafter
from .functions.joining import stack
from .functions.manipulation import broadcast_to
from .functions.statistical import argmax
from .ir.node import OpNode, lock, node_of, scalar_node
from .ir.tracer import Recording, ScalarTracer, is_traced, on_host
from .late import LateModule
from .ops import OP_DEFS
from .ops.host_functions import threefry, threefry_block
from .runtime.executor import backend
from .runtime.host_data import packed
from .runtime.scopes import state
from .signatures import parameters_of
from .tensor import Tensor, as_tensor, from_host, node_behind
from .typing import ArrayLike, DTypeLike, ShapeLike

if TYPE_CHECKING:
    from .runtime import host_eval
else:
    host_eval = LateModule("runtime.host_eval")

_numpy_generator = LateModule("numpy_functions.generator")
_key_draws = LateModule("numpy_functions.key_draws")

Words = tuple[int, int]
"""The two words of a key, which are integers or scalar tracers."""
Key = Tensor | Words
"""Key: a uint32 tensor of shape (2,), or a pair of integers."""
_MASK = 0xFFFFFFFF


def key(seed: ArrayLike) -> Tensor:
    """Make a key from a seed, as `jax.random.PRNGKey` does.

    Args:
        seed: Integer, of which the lowest 64 bits are used, or an int32 tensor of shape ().

    Returns:
        uint32 tensor of shape (2,) with the high and the low 32 bits of the seed.

    >>> import py_tensor as pt
    >>> pt.random.key(7).tolist()
    [0, 7]
    """
    if isinstance(seed, Tensor) and not is_known(seed):
        low = astype(seed, uint32)
        return stack([low * 0, low], axis=-1)
    return asarray(words_of("key", seed), uint32)


def words_of(operation: str, seed: Any) -> Any:
    """Return the high and the low word of a seed, which may be traced."""
    if type(seed) is not ScalarTracer:
        seed = integer(operation, "seed", seed)
    return (seed >> 32) & _MASK, seed & _MASK


def _block(a: int, b: int, count: int) -> int:
    """Return the two words of a block as one number."""
    high, low = threefry_block(a, b, count & _MASK)
    return high << 32 | low


def split(k: Key, num: ShapeLike = 2) -> Tensor:
    """Derive independent keys from one key, equal to jax.random.split.

    Args:
        k: Key made by `key`, `split`, `fold_in` or `fresh_key`.
        num: Number of new keys, or a shape; 2 by default.

    Returns:
        uint32 tensor of shape (num, 2), whose rows are the keys.

    >>> import py_tensor as pt
    >>> first, second = pt.random.split(pt.random.key(0))
    >>> pt.random.split(first, 3).shape
    (3, 2)
    """
    count = integer("split", "num", math.prod(lengths_of("split", num, "num")), 0, MOST_STEPS)
    lengths = a_shape("split", num)
    words = checked_key("split", k)
    if isinstance(words, Tensor):
        keys = _folded(words, astype(arange(count), uint32))
    else:
        keys = asarray(parts_of(words, count) or zeros((0, 2)), uint32)
    return keys.reshape((*lengths, 2))


def fold_in(k: Key, data: ArrayLike) -> Tensor:
    """Derive a key from a key and a number, equal to jax.random.fold_in.

    Args:
        k: Key made by `key`, `split`, `fold_in` or `fresh_key`.
        data: Integer, for example the number of a step, or an integer tensor.

    Returns:
        uint32 tensor of shape (2,); keys for each element if `data` has axes.

    >>> import py_tensor as pt
    >>> key = pt.random.key(0)
    >>> pt.random.fold_in(key, 1).tolist() == pt.random.split(key)[1].tolist()
    True
    """
    words = checked_key("fold_in", k)
    if isinstance(words, Tensor) or (isinstance(data, Tensor) and not is_known(data)):
        return _folded(words, astype(as_tensor("fold_in", data), uint32))
    number: Any = data
    if type(number) is not ScalarTracer:
        number = integer("fold_in", "data", data)
    return key(on_host(_block, *words, number))


def _folded(k: Any, counts: Tensor) -> Tensor:
    """Return the two words of the block of each count along a new last axis."""
    operands = (*_words(k), counts._node)
    first, bits = (Tensor(node_of(OP_DEFS[n], operands)) for n in ("threefry_first", _BITS))
    return stack([first, first ^ bits], axis=-1)


_BITS = "threefry2x32"


def parts_of(words: Words, count: int) -> list[Words]:
    """Derive keys from the words of a key, as `split` does."""
    return [words_of("split", on_host(_block, *words, i)) for i in range(count)]


def halves(k: Key) -> tuple[Key, Key]:
    """Return two independent keys. They consist of words if the words of the key are known."""
    if isinstance(k, Tensor):
        first, second = split(k)
        return first, second
    first_words, second_words = parts_of(k, 2)
    return first_words, second_words


def is_key(value: Any) -> bool:
    """Return True for a tensor that has the dtype and shape of a key."""
    return isinstance(value, Tensor) and value.dtype is uint32 and value.shape == (2,)


def is_known(tensor: Tensor) -> bool:
    """Return True if the elements of a small tensor are on the host, or can be computed there."""
    node = node_behind("key", tensor)
    if state.traces and is_traced(node):
        return False
    if node.buffer is not None:
        return node.buffer.host is not None
    return host_eval.compute(node, 2)


def checked_key(operation: str, k: Any) -> Any:
    """Return the words of a key, or a key whose words are not known, for example inside `vmap`."""
    if isinstance(k, Tensor):
        if not is_key(k):
            raise DTypeError(
                f"{operation}: key is no pair of words; got a tensor of {k.dtype}, shape "
                f"{k.shape}; use pt.random.key(0), or vmap over keys of pt.random.split"
            )
        return tuple(k.tolist()) if is_known(k) else k
    words = k.tolist() if hasattr(k, "tolist") else k
    if not isinstance(words, tuple | list) or len(words) != 2:
        raise wrong_type(operation, "key", "a key", k, "pt.random.key(0)")
    return tuple(
        [w if type(w) is ScalarTracer else integer(operation, "key", w) & _MASK for w in words]
    )


def _with_keys(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Decorate a draw: a key as its first argument means JAX's order of parameters.

    Two numbers in the order of NumPy raise ArgumentError, since the first parameter is the shape.
    """
    name = function.__name__
    names = parameters_of(function)

    @wraps(function)
    def draw(*args: Any, **kwargs: Any) -> Tensor:
        if args and is_key(args[0]):
            drawn: Tensor = getattr(_key_draws.loaded, name)(*args, **kwargs)
            return drawn
        if len(args) > 1 and names is not None and names.positional == ("shape",):
            raise _in_numpys_order(name, names.keyword_only, args)
        return function(*args, **kwargs)

    return draw


def _in_numpys_order(name: str, names: tuple[str, ...], args: tuple[Any, ...]) -> ArgumentError:
    """Return the error of a draw whose parameters are positional, with the call to write."""
    shape: Any = () if len(args) == 2 and not isinstance(args[0], tuple | list) else args[-1]
    numbers = args[:2]
    if isinstance(args[0], tuple | list):
        shape, numbers = args[0], args[1:3]
    texts = [
        described(shape),
        *(f"{n}={described(v)}" for n, v in zip(names, numbers, strict=False)),
    ]
    return ArgumentError(
        f"{name}: parameters after the shape have names; got {shown(args)}; write "
        f"pt.random.{name}({', '.join(texts)}), or import py_tensor.numpy as np and use np.random"
    )


class _Generator:
    """Key that advances with each use, and the trace in which it was made, if any."""

    def __init__(self, seed: int) -> None:
        self.key: Words = words_of("seeded", seed)
        self.trace = state.trace


def random_seed() -> int:
    """Return a seed of 64 bits from the operating system."""
    return int.from_bytes(os.urandom(8), "little")


_default = _Generator(random_seed())
_generator: ContextVar[_Generator] = ContextVar("py_tensor_generator", default=_default)
"""Generator of the running task; all tasks share the default one."""


def seed_anew() -> None:
    """Give the default generator a random key, in a process that was copied from another."""
    _default.key = words_of("seed", random_seed())


def _recorded() -> Recording | None:
    """Return the recording of the traced function, if each call of it must draw anew."""
    return None if _generator.get().trace is state.trace else state.trace


@contextmanager
def seeded(value: int) -> Iterator[None]:
    """Use a generator with a key of its own for a block: `with pt.random.seeded(0):`.

    Functions called without a key inside the block use this key, also in asyncio tasks that the
    block starts. Other tasks, other threads and the global key are not affected.

    Args:
        value: Integer; only its lowest 64 bits are used.

    Returns:
        Context manager.

    >>> import py_tensor as pt
    >>> with pt.random.seeded(0):
    ...     a = pt.random.uniform((3,)).tolist()
    >>> with pt.random.seeded(0):
    ...     a == pt.random.uniform((3,)).tolist()
    True
    """
    outer = _generator.get()
    words_of("seeded", value)
    _generator.set(_Generator(value))
    try:
        yield
    finally:
        _generator.set(outer)


def seed(value: int) -> None:
    """Set the global key, which functions called without a key use.

    The same seed gives the same numbers. Inside a `seeded` block, the key of that block is set.

    Args:
        value: Integer; only its lowest 64 bits are used.

    >>> import py_tensor as pt
    >>> pt.random.seed(0)
    >>> a = pt.random.uniform((3,)).tolist()
    >>> pt.random.seed(0)
    >>> a == pt.random.uniform((3,)).tolist()
    True
    """
    words_of("seed", value)
    recording = _recorded()
    if recording is None:
        _seed(value)
    else:
        recording.tape.record(type(None), _seed, value)


def global_key() -> Words:
    """Return the global key, or that of the `seeded` block."""
    return _generator.get().key


def set_global_key(k: Words) -> None:
    """Set the global key, or that of the `seeded` block."""
    _generator.get().key = k


def _seed(value: int) -> None:
    _generator.get().key = words_of("seed", value)


def _draw() -> int:
    """Return a fresh key as one number, and advance the generator."""
    generator = _generator.get()
    with lock:
        generator.key, fresh = parts_of(generator.key, 2)
    return fresh[0] << 32 | fresh[1]


def _next(operation: str, k: Key | None) -> Any:
    return fresh_words() if k is None else checked_key(operation, k)


def fresh_words() -> Words:
    """Return the words of a fresh key, and advance the global key."""
    recording = _recorded()
    # Each call of a jitted function draws new keys, in the same order as without jit.
    number: Any = _draw() if recording is None else recording.tape.record(int, _draw)
    words: Words = words_of("key", number)
    return words


def fresh_key() -> Tensor:
    """Return a fresh key derived from the global key, and advance the global key.

    Returns:
        uint32 tensor of shape (2,).

    >>> import py_tensor as pt
    >>> pt.random.fresh_key().tolist() != pt.random.fresh_key().tolist()
    True
    """
    return asarray(fresh_words(), uint32)


def bits(k: Key, shape: ShapeLike = ()) -> Tensor:
    """Draw random bits, equal to jax.random.bits(key, shape).

    Args:
        k: Key made by `key`, `split`, `fold_in` or `fresh_key`.
        shape: Shape of the result, an int or a tuple of ints; () by default.

    Returns:
        uint32 tensor of that shape.

    Raises:
        ShapeError: If a length is negative.

    >>> import py_tensor as pt
    >>> pt.random.bits(pt.random.key(0), (2,)).tolist()
    [4070199207, 4202968722]
    """
    return _bits("bits", checked_key("bits", k), shape)


def _bits(operation: str, k: Any, shape: ShapeLike) -> Tensor:
    lengths = a_shape(operation, shape)
    few = _few_bits(k, lengths)
    if few is not None:
        return from_host(packed(few, uint32), lengths, uint32, operation)
    backend().check_size(operation, lengths, uint32)
    position = astype(arange(math.prod(lengths)), uint32)._node
    words = _words(k)
    flat = Tensor(node_of(OP_DEFS[_BITS], (words[0], words[1], position)))
    return flat.reshape(lengths)


_FEW = 4
"""Number of elements up to which numbers are drawn in Python, as programs with loops do."""


def _few_bits(k: Any, lengths: tuple[int, ...]) -> list[int] | None:
    """Return the bits of a few numbers of a known key; None for others."""
    count = math.prod(lengths)
    if not 0 < count <= _FEW or isinstance(k, Tensor) or type(k[0]) is not int:
        return None
    return [threefry(k[0], k[1], i) for i in range(count)]


def _words(k: Any) -> list[OpNode]:
    """Return the two words of a key, which may be a tensor, for example inside of `vmap`."""
    if not isinstance(k, Tensor):
        return [scalar_node(word, uint32) for word in k]
    return [k[0]._node, k[1]._node]


def _unit(operation: str, k: Any, shape: ShapeLike) -> Tensor:
    """Draw float32 numbers in [0, 1) from 23 random bits, like jax.random.uniform."""
    lengths = a_shape(operation, shape)
    few = _few_bits(k, lengths)
    if few is not None:
        units = [(word >> 9) * 2.0**-23 for word in few]
        return from_host(packed(units, float32), lengths, float32, operation)
    return Tensor(node_of(OP_DEFS["bits_to_unit_float"], (_bits(operation, k, lengths)._node,)))


def _floating(operation: str, dtype: DTypeLike) -> Any:
    target = as_dtype(dtype, operation)
    if target.kind != "f":
        raise DTypeError(
            f"{operation}: dtype {target} is not floating; got {target}; use float32 or float16"
        )
    return target


@_with_keys
def uniform(
    shape: ShapeLike = (),
    *,
    low: float = 0.0,
    high: float = 1.0,
    dtype: DTypeLike = float32,
    key: Key | None = None,
) -> Tensor:
    """Draw uniformly distributed numbers from [low, high).

    After a key, the parameters are those of JAX: `uniform(key, shape, dtype, minval, maxval)`.

    Args:
        shape: Shape of the result, an int or a tuple of ints; () by default.
        low: Lower limit, included; 0.0 by default.
        high: Upper limit, excluded; 1.0 by default.
        dtype: float32 (default) or float16.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If a length is negative.
        ArgumentError: If `high - low` is not finite in float32, or limits have no names.

    >>> import py_tensor as pt
    >>> pt.random.uniform((2, 3)).shape
    (2, 3)
    >>> round(pt.random.uniform(key=pt.random.key(0)).item(), 4)
    0.9477
    """
    target = _floating("uniform", dtype)
    low, high = number("uniform", "low", low), number("uniform", "high", high)
    if low > high:
        raise ArgumentError(f"uniform: low is above high; got {low} and {high}; exchange them")
    values = _unit("uniform", _next("uniform", key), shape)
    if not abs(high - low) < FLOAT_END:
        raise ArgumentError(
            f"uniform: range must be finite in float32; got {low} to {high}; use closer limits"
        )
    if (low, high) != (0.0, 1.0):
        values = values * (high - low) + low
    return astype(values, target, copy=False)


@_with_keys
def normal(
    shape: ShapeLike = (),
    *,
    mean: float = 0.0,
    std: float = 1.0,
    dtype: DTypeLike = float32,
    key: Key | None = None,
) -> Tensor:
    """Draw normally distributed numbers: sqrt(2) erfinv(u) with u uniform in (-1, 1).

    After a key, the parameters are those of JAX: `normal(key, shape, dtype)`.

    Args:
        shape: Shape of the result, an int or a tuple of ints; () by default.
        mean: Mean; 0.0 by default.
        std: Standard deviation; 1.0 by default.
        dtype: float32 (default) or float16.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If a length is negative.
        ArgumentError: If `std` is negative, or mean and std have no names.

    >>> import py_tensor as pt
    >>> pt.random.normal((4,)).shape
    (4,)
    >>> pt.random.normal(pt.random.key(0), (4,)).shape
    (4,)
    >>> round(pt.random.normal(key=pt.random.key(0)).item(), 4)
    1.6226
    """
    target = _floating("normal", dtype)
    mean, std = number("normal", "mean", mean), number("normal", "std", std)
    if std < 0:
        raise ArgumentError(f"normal: std is negative; got {std}; use a std of 0 or more")
    # The smallest u is the first float32 above -1, so that no value is infinite. As in JAX, the
    # length of the range is rounded to float32, which gives 2.
    lowest = 2.0**-24 - 1.0
    u = maximum(_unit("normal", _next("normal", key), shape) * 2.0 + lowest, lowest)
    values = erfinv(u) * 1.4142135623730951
    if (mean, std) != (0.0, 1.0):
        values = values * std + mean
    return astype(values, target, copy=False)


def integers(
    low: int,
    high: int | None = None,
    shape: ShapeLike = (),
    *,
    dtype: DTypeLike = int32,
    key: Key | None = None,
) -> Tensor:
    """Draw uniformly distributed integers from [low, high).

    Two random words are reduced modulo the span, like jax.random.randint.

    Args:
        low: Lower limit, included; the upper limit if `high` is None.
        high: Upper limit, excluded; None (default) draws from [0, low).
        shape: Shape of the result, an int or a tuple of ints; () by default.
        dtype: Integer dtype; int32 by default.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        ArgumentError: If the range is empty, exceeds 2**32 values or does not fit `dtype`, or if
            `dtype` is not an integer dtype.
        ShapeError: If a length is negative.

    >>> import py_tensor as pt
    >>> pt.random.integers(0, 10, (5,), key=pt.random.key(0)).tolist()
    [9, 0, 2, 3, 1]
    """
    if high is None:
        low, high = 0, low
    low, high = integer("integers", "low", low), integer("integers", "high", high)
    target = as_dtype(dtype, "integers")
    span = high - low
    if (
        span <= 0
        or span > 1 << 32
        or target.kind not in "iu"
        or low < target.lowest
        or high - 1 > target.highest
    ):
        raise ArgumentError(
            f"integers: range is invalid; got {shown(low)} to {shown(high)} as {target}; high must "
            "be above low and within the dtype"
        )
    upper, lower = halves(_next("integers", key))
    if span == 1 << 32:
        return astype(
            astype(_bits("integers", lower, shape), int32)
            if target is int32
            else _bits("integers", lower, shape),
            target,
        )
    root = (1 << 16) % span
    multiplier = (root * root & _MASK) % span
    lengths = a_shape("integers", shape)
    high_bits, low_bits = _few_bits(upper, lengths), _few_bits(lower, lengths)
    if high_bits is not None and low_bits is not None:
        drawn = [
            low + (a % span * multiplier + b % span) % (1 << 32) % span
            for a, b in zip(high_bits, low_bits, strict=True)
        ]
        return from_host(packed(drawn, target), lengths, target, "integers")
    value = (
        _bits("integers", upper, shape) % span * multiplier + _bits("integers", lower, shape) % span
    ) % span
    # The offset fits uint32; in two's complement, adding `low` then gives the right result.
    offset = astype(value, int32) + low if target.kind == "i" else value + low
    return astype(offset, target)


@_with_keys
@named
def bernoulli(
    p: ArrayLike = 0.5, shape: ShapeLike | None = None, *, key: Key | None = None
) -> Tensor:
    """Draw True with a probability, equal to jax.random.bernoulli(key, p, shape).

    Args:
        p: Probability of True, a number or a tensor; 0.5 by default.
        shape: Shape of the result; None (default) for that of p, which must broadcast to it.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        bool tensor of that shape.

    Raises:
        ShapeError: If the shape of p does not broadcast to `shape`.

    >>> import py_tensor as pt
    >>> pt.random.bernoulli(0.3, (4,), key=pt.random.key(0)).dtype
    bool
    """
    share = as_tensor("bernoulli", p)
    lengths = share.shape if shape is None else a_shape("bernoulli", shape)
    if share.dtype.kind == "c":
        raise DTypeError("bernoulli: p is complex; got dtype complex64; use pt.real(p)")
    drawn = _unit("bernoulli", _next("bernoulli", key), lengths)
    return drawn < broadcast_to(share, lengths)


@_with_keys
def gumbel(
    shape: ShapeLike = (),
    *,
    loc: float = 0.0,
    scale: float = 1.0,
    dtype: DTypeLike = float32,
    key: Key | None = None,
) -> Tensor:
    """Draw from the Gumbel distribution: loc - scale log(-log(u)) with u uniform in (0, 1).

    Args:
        shape: Shape of the result, an int or a tuple of ints; () by default.
        loc: Mode; 0.0 by default.
        scale: Scale; 1.0 by default.
        dtype: float32 (default) or float16.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If a length is negative.

    >>> import py_tensor as pt
    >>> pt.random.gumbel((2, 3)).shape
    (2, 3)
    """
    loc, scale = number("gumbel", "loc", loc), number("gumbel", "scale", scale)
    values = _gumbel("gumbel", shape, dtype, key)
    return values if (loc, scale) == (0.0, 1.0) else values * scale + loc


def _gumbel(operation: str, shape: ShapeLike, dtype: DTypeLike, key: Key | None) -> Tensor:
    target = _floating(operation, dtype)
    u = maximum(_unit(operation, _next(operation, key), shape), _SMALLEST)
    return astype(-log(-log(u)), target, copy=False)


_SMALLEST = 1.1754943508222875e-38
"""Smallest normal float32."""


@_with_keys
@named
def categorical(
    logits: ArrayLike, axis: int = -1, shape: ShapeLike | None = None, *, key: Key | None = None
) -> Tensor:
    """Draw positions with probabilities softmax(logits).

    The position of the largest sum of logits and Gumbel noise is returned, as in JAX.

    Args:
        logits: Logarithms of the probabilities, up to a constant.
        axis: Axis of the categories; -1 by default.
        shape: Shape of the result; None (default) for that of the logits without the axis, with
            which it must end otherwise.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        int32 tensor of positions along the axis.

    Raises:
        ShapeError: If the axis does not exist, or `shape` does not end with the logits' other axes.

    >>> import py_tensor as pt
    >>> pt.random.categorical(pt.log(pt.asarray([1.0, 0.0])), shape=(3,)).tolist()
    [0, 0, 0]
    """
    scores = as_tensor("categorical", logits)
    scores = scores if scores.dtype.kind == "f" else astype(scores, float32)
    axis = one_axis("categorical", axis, scores.ndim)
    rest = (*scores.shape[:axis], *scores.shape[axis + 1 :])
    lengths = rest if shape is None else a_shape("categorical", shape)
    extra = len(lengths) - len(rest)
    if extra < 0 or lengths[extra:] != rest:
        raise ShapeError(
            f"categorical: shape does not fit; got {lengths} for logits of shape {scores.shape}; "
            f"give a shape that ends with {rest}"
        )
    drawn = (*lengths[:extra], *scores.shape)
    noise = _gumbel("categorical", drawn, scores.dtype, key)
    return argmax(noise + scores, axis=axis + extra)


@_with_keys
@named
def truncated_normal(
    lower: ArrayLike,
    upper: ArrayLike,
    shape: ShapeLike | None = None,
    *,
    dtype: DTypeLike = float32,
    key: Key | None = None,
) -> Tensor:
    """Draw normally distributed numbers between two limits.

    Args:
        lower: Lower limit, a number or a tensor.
        upper: Upper limit, a number or a tensor.
        shape: Shape of the result; None (default) for the shape to which the limits broadcast.
        dtype: float32 (default) or float16.
        key: Key made by `key`, `split` or `fresh_key`; None (default) for a fresh one.

    Returns:
        Tensor of that shape and dtype, with numbers inside of the limits.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If the limits do not broadcast to `shape`.

    >>> import py_tensor as pt
    >>> x = pt.random.truncated_normal(-1.0, 1.0, (100,))
    >>> bool(pt.all(pt.abs(x) < 1.0))
    True
    """
    target = _floating("truncated_normal", dtype)
    low, high = (astype(as_tensor("truncated_normal", v), float32) for v in (lower, upper))
    lengths = (low + high).shape if shape is None else a_shape("truncated_normal", shape)
    low, high = broadcast_to(low, lengths), broadcast_to(high, lengths)
    a, b = erf(low / _ROOT), erf(high / _ROOT)
    u = maximum(_unit("truncated_normal", _next("truncated_normal", key), lengths) * (b - a) + a, a)
    values = _ROOT * erfinv(u)
    values = clip(values, nextafter(low, math.inf), nextafter(high, -math.inf))
    return astype(values, target, copy=False)


_ROOT = 1.4142135623730951


# fmt: off
_LATE = frozenset((
    "Generator", "RandomState", "default_rng", "beta", "binomial", "bytes", "chisquare", "choice",
    "dirichlet", "exponential", "f", "gamma", "geometric", "laplace", "logistic",
    "lognormal", "multinomial", "multivariate_normal", "negative_binomial",
    "noncentral_chisquare", "pareto", "permutation", "permuted",
    "poisson", "power", "rand", "randint", "randn", "random", "random_sample", "rayleigh",
    "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal",
    "standard_t", "triangular", "wald", "weibull",
))
_OF_KEYS = frozenset(
    ("PRNGKey", "cauchy", "key_data", "loggamma", "rademacher", "t", "wrap_key_data")
)
# fmt: on
"""NumPy's and JAX's names, whose modules are imported when one of them is first used."""


__all__ = sorted(
    {
        *("bernoulli", "bits", "categorical", "fold_in", "fresh_key", "gumbel", "integers", "key"),
        *("normal", "seed", "seeded", "split", "truncated_normal", "uniform"),
        *_LATE,
        *_OF_KEYS,
    }
)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _OF_KEYS:
        return getattr(_key_draws.loaded, name)
    if name not in _LATE:
        raise AttributeError(f"module 'py_tensor.random' has no attribute {name!r}")
    generator = _numpy_generator.loaded
    if name in ("Generator", "RandomState", "default_rng"):
        return getattr(generator, name)
    method = getattr(generator.SHARED, name)
    return _with_keys(method) if name in _key_draws.loaded.__all__ else method
