"""NumPy's random generators, on the counter-based numbers of `py_tensor.random`.

The numbers differ from NumPy's for the same seed; their distributions are the same. Each call draws
new keys, also in each call of a function under `pt.jit`.
"""

from __future__ import annotations

import math
from collections.abc import Buffer, MutableSequence, Sequence
from typing import Any, TypeGuard

from .. import functions as F, random
from ..dtypes import wrong_type
from ..errors import ShapeError
from ..functions.arguments import MOST_STEPS, flag, integer, one_axis
from ..functions.decorators import named
from ..ir.tracer import ScalarTracer
from ..linalg import cholesky
from ..random import Key, Words
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike, ShapeLike
from .arithmetic import as_floating
from .distributions import (
    ContinuousDistributions,
    DiscreteDistributions,
    GammaDistributions,
    lengths_of,
)


class Generator(ContinuousDistributions, GammaDistributions, DiscreteDistributions):
    """Generator of random numbers with NumPy's methods, made by `pt.random.default_rng`.

    Parameters may be tensors, and broadcast; `size` is the shape of the result.

    >>> import py_tensor as pt
    >>> rng = pt.random.default_rng(0)
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    @named
    def random(self, size: ShapeLike | None = None, dtype: DTypeLike = "float32") -> Tensor:
        """Draw uniformly distributed numbers from [0, 1).

        Args:
            size: Shape; None (default) for a number.
            dtype: float32 (default) or float16.

        Returns:
            Tensor of that shape and dtype.
        """
        return random.uniform(lengths_of(size), dtype=dtype, key=self._draw())

    @named
    def integers(
        self,
        low: int,
        high: int | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = "int32",
        endpoint: bool = False,
    ) -> Tensor:
        """Draw uniformly distributed integers from [low, high).

        Args:
            low: Lower limit, included; the upper limit if `high` is None.
            high: Upper limit, excluded; None (default) draws from [0, low).
            size: Shape; None (default) for a number.
            dtype: Integer dtype; int32 by default.
            endpoint: Include `high`; False by default.

        Returns:
            Tensor of that shape and dtype.
        """
        if high is None:
            low, high = 0, low
        low, high = integer("integers", "low", low), integer("integers", "high", high)
        high += flag("integers", "endpoint", endpoint)
        return random.integers(low, high, lengths_of(size), dtype=dtype, key=self._draw())

    @named
    def bytes(self, length: int) -> bytes:
        """Draw random bytes.

        Args:
            length: Number of bytes.

        Returns:
            bytes.
        """
        length = integer("bytes", "length", length, 0)
        return bytes(random.bits(self._draw(), (-(-length // 4),)))[:length]

    @named
    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: ShapeLike | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
    ) -> Tensor:
        """Draw vectors of a normal distribution.

        Args:
            mean: Vector of means.
            cov: Covariance matrix, which is positive definite.
            size: Shape; None (default) for one vector.
            check_valid: Ignored.
            tol: Ignored.

        Returns:
            Tensor with the vectors along the last axis; float32.
        """
        middle = as_floating("multivariate_normal", mean)
        root = cholesky(as_floating("multivariate_normal", cov))
        z = self._normal((*lengths_of(size), *middle.shape))
        return F.matmul(F.expand_dims(z, axis=-2), root.T)[..., 0, :] + middle

    @named
    def permutation(self, x: int | ArrayLike, axis: int = 0) -> Tensor:
        """Return the slices along an axis in random order.

        Args:
            x: Tensor or array-like, or an integer for `arange(x)`.
            axis: Axis; 0 by default.

        Returns:
            Tensor of the shape and dtype of x.
        """
        values = F.arange(x) if isinstance(x, int) else as_tensor("permutation", x)
        axis = one_axis("permutation", axis, values.ndim)
        return F.take(values, self._order((values.shape[axis],), 0), axis=axis)

    @named
    def shuffle(self, x: ArrayLike, axis: int = 0) -> None:
        """Permute the slices of a tensor along an axis, in place.

        Args:
            x: Tensor, or mutable sequence.
            axis: Axis; 0 by default.
        """
        if isinstance(x, Tensor):
            x[...] = self.permutation(x, axis)
        elif not isinstance(x, MutableSequence):
            raise wrong_type("shuffle", "x", "a tensor or a list", x)
        else:
            x[:] = [x[index] for index in self.permutation(len(x)).tolist()]

    @named
    def permuted(self, x: ArrayLike, *, axis: int | None = None) -> Tensor:
        """Permute the elements along an axis, each vector independently.

        Args:
            x: Tensor or array-like.
            axis: Axis; None (default) for the flattened tensor.

        Returns:
            Tensor of the shape and dtype of x.
        """
        values = as_tensor("permuted", x)
        if axis is None:
            flat = F.flatten(values)
            return F.reshape(self.permutation(flat), values.shape) if flat.size else values
        axis = one_axis("permuted", axis, values.ndim)
        return F.take_along_axis(values, self._order(values.shape, axis), axis=axis)

    @named
    def choice(
        self,
        a: int | ArrayLike | Sequence[Any],
        size: ShapeLike | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Draw slices of a tensor along an axis, or elements of a list.

        Args:
            a: Tensor or array-like, an integer for `arange(a)`, or a list or tuple of text or other
                objects that are not numbers.
            size: Shape; None (default) for one slice.
            replace: Allow a slice to be drawn several times; True by default.
            p: Vector of probabilities; None (default) for equal ones.
            axis: Axis; 0 by default.
            shuffle: Ignored: slices are always in random order.

        Returns:
            Tensor of the dtype of a. For a list of objects, the object that was drawn, or a nested
            list of objects in the shape `size`, for which the positions are read back.

        Raises:
            ShapeError: If there are too few slices to draw from, or p does not fit.

        >>> import py_tensor as pt
        >>> letters = pt.random.default_rng(0).choice(["a", "b", "c"], size=5)
        >>> len(letters), set(letters) <= {"a", "b", "c"}
        (5, True)
        """
        if _has_objects(a):
            one_axis("choice", axis, 1)
            return _elements_at(a, self.choice(len(a), size, replace, p).tolist())
        values = F.arange(a) if isinstance(a, int) else as_tensor("choice", a)
        axis = one_axis("choice", axis, values.ndim)
        length, shape = values.shape[axis], lengths_of(size)
        count = math.prod(shape)
        replace = flag("choice", "replace", replace)
        chances = None if p is None else as_floating("choice", p)
        if chances is not None and chances.shape != (length,):
            raise ShapeError(
                f"choice: probabilities do not fit; got {chances.shape} for {length} slices"
            )
        if count and (not length or (not replace and count > length)):
            raise ShapeError(f"choice: too few slices; got {length} to draw {count} from")
        if not replace:
            if chances is None:
                order = self._order((length,), 0)
            else:
                # Sorting by log(p) plus Gumbel noise is drawing without replacement.
                order = F.argsort(F.log(chances) + self._gumbel((length,)), descending=True)
            indices = F.reshape(order[:count], shape)
        elif chances is None:
            indices = random.integers(0, length, shape, key=self._draw())
        else:
            limits = F.cumulative_sum(chances)
            u = self._unit(shape) * limits[-1]
            indices = F.minimum(F.searchsorted(limits, u, side="right"), length - 1)
        return F.take(values, indices, axis=axis)

    @named
    def spawn(self, n_children: int) -> list[Generator]:
        """Return new independent generators.

        Args:
            n_children: Number of generators.

        Returns:
            List of generators.
        """
        return [
            Generator(self._advance())
            for _ in range(integer("spawn", "n_children", n_children, 0, MOST_STEPS))
        ]


def _has_objects(a: Any) -> TypeGuard[Sequence[Any]]:
    """Return True for a list or tuple with text or other objects that cannot be in a tensor."""
    return isinstance(a, list | tuple) and any(
        issubclass(kind, str | bytes)
        or not (issubclass(kind, _ARRAY_LIKE) or hasattr(kind, "__array__"))
        for kind in set(map(type, a))
    )


_ARRAY_LIKE = (int, float, complex, list, tuple, range, Tensor, Buffer, ScalarTracer)


def _elements_at(a: Sequence[Any], places: Any) -> Any:
    """Return the element at a position, or nested lists of the elements at nested positions."""
    return [_elements_at(a, at) for at in places] if isinstance(places, list) else a[places]


class RandomState(Generator):
    """Generator that also has the methods of NumPy's older interface.

    >>> import py_tensor as pt
    >>> pt.random.RandomState(0).rand(2, 3).shape
    (2, 3)
    """

    @named
    def seed(self, seed: int | None = None) -> None:
        """Start again from a seed.

        Args:
            seed: Integer; None (default) for a random one.
        """
        self._key = random.words_of("seed", random.random_seed() if seed is None else seed)

    @named
    def get_state(self) -> Words:
        """Return the key of the next numbers, for `set_state`.

        Returns:
            Tuple of two integers.
        """
        words: Words = self._key
        return words

    @named
    def set_state(self, state: Words) -> None:
        """Continue at a key.

        Args:
            state: Key that `get_state` returned.
        """
        self._key = state

    @named
    def rand(self, *shape: int) -> Tensor:
        """Draw uniformly distributed numbers from [0, 1).

        Args:
            shape: Lengths.

        Returns:
            Tensor; float32.
        """
        return self.random(shape)

    @named
    def randn(self, *shape: int) -> Tensor:
        """Draw normally distributed numbers.

        Args:
            shape: Lengths.

        Returns:
            Tensor; float32.
        """
        return self.standard_normal(shape)

    @named
    def randint(
        self,
        low: int,
        high: int | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = "int32",
    ) -> Tensor:
        """Draw uniformly distributed integers from [low, high).

        Args:
            low: Lower limit, included; the upper limit if `high` is None.
            high: Upper limit, excluded; None (default) draws from [0, low).
            size: Shape; None (default) for a number.
            dtype: Integer dtype; int32 by default.

        Returns:
            Tensor of that shape and dtype.
        """
        return self.integers(low, high, size, dtype)

    @named
    def random_sample(self, size: ShapeLike | None = None) -> Tensor:
        """Draw uniformly distributed numbers from [0, 1).

        Args:
            size: Shape; None (default) for a number.

        Returns:
            Tensor; float32.
        """
        return self.random(size)


class _Shared(RandomState):
    """Generator that the functions of `pt.random` use, with the global key."""

    def __init__(self) -> None:
        pass

    def _draw(self) -> Key:
        return random.fresh_words()

    @property
    def _key(self) -> Words:
        return random.global_key()

    @_key.setter
    def _key(self, key: Words) -> None:
        random.set_global_key(key)


SHARED = _Shared()
"""Generator whose methods are functions of `pt.random`."""


def default_rng(seed: int | None = None) -> Generator:
    """Return a generator of random numbers with NumPy's methods.

    Args:
        seed: Integer, or a generator, which is returned; None (default) for a random seed.

    Returns:
        Generator.

    >>> import py_tensor as pt
    >>> pt.random.default_rng(7).integers(10, size=3).shape
    (3,)
    """
    if seed is not None and not isinstance(seed, Generator):
        seed = integer("default_rng", "seed", seed)
    return seed if isinstance(seed, Generator) else Generator(seed)
