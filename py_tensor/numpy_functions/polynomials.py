"""Polynomials as vectors of coefficients, from the highest power down to the constant.

Results keep leading zeros that NumPy removes, because their number depends on the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from .. import functions as F, linalg
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, integer, number
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .arithmetic import as_floating
from .signals import convolve


def _coefficients(operation: str, p: ArrayLike) -> Tensor:
    tensor = as_tensor(operation, p)
    if tensor.ndim > 1:
        raise ShapeError(f"{operation}: needs a vector; got shape {tensor.shape}; use flatten")
    return F.reshape(tensor, (-1,)) if tensor.size else tensor


@named
def polyval(p: ArrayLike, x: ArrayLike) -> Tensor:
    """Evaluate a polynomial by Horner's rule.

    Args:
        p: Coefficients, highest power first; the rows of a matrix, which broadcast with x, have
            those of several polynomials.
        x: Tensor or array-like of any shape, or another polynomial (`poly1d`).

    Returns:
        Tensor of the shape of x in the promoted dtype; a `poly1d` if x is one.

    >>> import py_tensor as pt
    >>> pt.polyval([3, 0, 1], [5, 2]).tolist()
    [76, 13]
    """
    p = as_tensor("polyval", p)
    if isinstance(x, poly1d):
        composed: Any = poly1d([0])
        for coefficient in p:
            composed = composed * x + coefficient
        return cast("Tensor", composed)
    p, x = p if p.ndim > 1 else _coefficients("polyval", p), as_tensor("polyval", x)
    result = F.zeros(x.shape, dtype=F.result_type(p, x))
    for coefficient in p:
        result = result * x + coefficient
    return result


def _padded(operation: str, a1: ArrayLike, a2: ArrayLike) -> tuple[Tensor, Tensor]:
    a, b = _coefficients(operation, a1), _coefficients(operation, a2)
    length = max(a.size, b.size)
    first, second = (F.pad(x, ((length - x.size, 0),)) for x in (a, b))
    return first, second


@named
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """Add two polynomials.

    Args:
        a1: Coefficients, highest power first.
        a2: Coefficients, highest power first.

    Returns:
        Vector of coefficients.

    >>> import py_tensor as pt
    >>> pt.polyadd([1, 2], [9, 5, 4]).tolist()
    [9, 6, 6]
    """
    a, b = _padded("polyadd", a1, a2)
    return a + b


@named
def polysub(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """Subtract a polynomial from another one.

    Args:
        a1: Coefficients, highest power first.
        a2: Coefficients of the polynomial to subtract.

    Returns:
        Vector of coefficients.

    >>> import py_tensor as pt
    >>> pt.polysub([2, 10, -2], [3, 10, -4]).tolist()
    [-1, 0, 2]
    """
    a, b = _padded("polysub", a1, a2)
    return a - b


@named
def polymul(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """Multiply two polynomials.

    Args:
        a1: Coefficients, highest power first.
        a2: Coefficients, highest power first.

    Returns:
        Vector of coefficients.

    >>> import py_tensor as pt
    >>> pt.polymul([1, 2, 3], [9, 5, 1]).tolist()
    [9, 23, 38, 17, 3]
    """
    return convolve(_coefficients("polymul", a1), _coefficients("polymul", a2))


@named
def polydiv(u: ArrayLike, v: ArrayLike) -> tuple[Tensor, Tensor]:
    """Divide a polynomial by another one.

    Args:
        u: Coefficients of the dividend.
        v: Coefficients of the divisor; the first one is not zero.

    Returns:
        Tuple of quotient and remainder. The remainder has one coefficient less than the divisor.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])]
    [[1.5, 1.75], [0.25]]
    """
    rest = as_floating("polydiv", _coefficients("polydiv", u))
    divisor = as_floating("polydiv", _coefficients("polydiv", v))
    if rest.size < divisor.size:
        return rest[:1] * 0.0, rest
    digits = []
    for _ in range(rest.size - divisor.size + 1):
        digit = rest[0] / divisor[0]
        digits.append(digit)
        rest = F.concat([rest[1 : divisor.size] - digit * divisor[1:], rest[divisor.size :]])
    quotient = F.stack(digits)
    return quotient, rest if rest.size else quotient[:1] * 0.0


@named
def polyder(p: ArrayLike, m: int = 1) -> Tensor:
    """Differentiate a polynomial.

    Args:
        p: Coefficients, highest power first.
        m: Order of the derivative; 1 by default.

    Returns:
        Vector of coefficients.

    Raises:
        ArgumentError: If m is negative.

    >>> import py_tensor as pt
    >>> pt.polyder([1, 1, 1, 1]).tolist()
    [3, 2, 1]
    """
    m = integer("polyder", "m", m, most=1 << 10)
    if m < 0:
        raise ArgumentError(f"polyder: order is negative; got {m}; use polyint")
    result = _coefficients("polyder", p)
    for _ in range(m):
        powers = F.arange(result.size - 1, 0, -1)
        result = result[:-1] * F.astype(powers, result.dtype)
    return result


@named
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Tensor:
    """Integrate a polynomial.

    Args:
        p: Coefficients, highest power first.
        m: Number of integrations; 1 by default.
        k: Constants of integration, one or one for each integration; None (default) for zeros.

    Returns:
        Vector of coefficients; float32 for integers.

    Raises:
        ArgumentError: If m is negative.
        ShapeError: If the number of constants does not fit.

    >>> import py_tensor as pt
    >>> pt.polyint([3.0, 2.0, 1.0]).tolist()
    [1.0, 1.0, 1.0, 0.0]
    """
    m = integer("polyint", "m", m, most=1 << 10)
    if m < 0:
        raise ArgumentError(f"polyint: order is negative; got {m}; use polyder")
    result = as_floating("polyint", _coefficients("polyint", p))
    constants = F.reshape(as_floating("polyint", 0.0 if k is None else k), (-1,))
    if constants.size == 1:
        constants = F.broadcast_to(constants, (m,))
    if constants.size < m:
        raise ShapeError(f"polyint: too few constants; got {constants.size}; give 1 or {m}")
    for at in range(m):
        powers = F.astype(F.arange(result.size, 0, -1), "float32")
        result = F.concat([result / powers, constants[at : at + 1]])
    return result


@named
def poly(seq_of_zeros: ArrayLike) -> Tensor:
    """Return the coefficients of the polynomial with given zeros.

    Args:
        seq_of_zeros: Vector of zeros, or a square matrix, whose characteristic polynomial is
            returned.

    Returns:
        Vector of coefficients, highest power first; the first one is 1.

    Raises:
        ShapeError: If the argument is neither a vector nor a square matrix.

    >>> import py_tensor as pt
    >>> pt.poly([2.0, 3.0]).tolist()
    [1.0, -5.0, 6.0]
    """
    zeros = as_floating("poly", seq_of_zeros)
    real = zeros.dtype.kind != "c"
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1]:
        zeros = linalg.eigvals(zeros)
    elif zeros.ndim > 1:
        raise ShapeError(f"poly: neither a vector nor square; got shape {zeros.shape}; use flatten")
    result = F.ones((1,), dtype=zeros.dtype)
    for at in range(zeros.size):
        zero = F.reshape(zeros, (-1,))[at : at + 1]
        result = F.pad(result, ((0, 1),)) - F.pad(result * zero, ((1, 0),))
    return F.real(result) if real else result


@named
def roots(p: ArrayLike) -> Tensor:
    """Return the zeros of a polynomial: the eigenvalues of its companion matrix.

    The coefficients are read back, since their leading zeros determine the number of zeros.

    Args:
        p: Coefficients, highest power first.

    Returns:
        Vector of zeros; complex64.

    >>> import py_tensor as pt
    >>> sorted(round(pt.real(zero).item(), 3) for zero in pt.roots([1.0, -5.0, 6.0]))
    [2.0, 3.0]
    """
    p = as_floating("roots", _coefficients("roots", p))
    used = [at for at, value in enumerate(p.tolist()) if value]
    if not used:
        return F.zeros((0,), dtype="complex64")
    at_zero = p.size - used[-1] - 1
    p = p[used[0] : used[-1] + 1]
    numbers = F.zeros((0,), dtype="complex64")
    if p.size > 1:
        first = F.reshape(-p[1:] / p[0], (1, -1))
        numbers = linalg.eigvals(
            F.concat([first, F.eye(p.size - 2, p.size - 1, dtype=p.dtype)], axis=0)
        )
    return F.concat([numbers, F.zeros((at_zero,), dtype="complex64")])


_MOST_POWERS = 1 << 10
"""Largest number of columns of a Vandermonde matrix; float32 powers overflow long before."""


@named
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the matrix whose columns are powers of a vector.

    Args:
        x: Vector.
        N: Number of columns; None (default) for the length of x.
        increasing: Order the powers from 0 up instead of down to 0; False by default.

    Returns:
        Tensor of shape (length of x, N).

    Raises:
        ShapeError: If x is not a vector.

    >>> import py_tensor as pt
    >>> pt.vander([1, 2, 3], 3).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    x = as_tensor("vander", x)
    if x.ndim != 1:
        raise ShapeError(f"vander: needs a vector; got shape {x.shape}; use flatten")
    count = x.size if N is None else integer("vander", "N", N, 0, _MOST_POWERS)
    x = F.astype(x, "int32") if x.dtype.kind == "b" else x
    columns = [F.ones(x.shape, dtype=x.dtype)] if count else []
    while len(columns) < count:
        columns.append(columns[-1] * x)
    if not columns:
        return F.zeros((x.size, 0), dtype=x.dtype)
    return F.stack(columns if flag("vander", "increasing", increasing) else columns[::-1], axis=1)


@named
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Any:
    """Fit a polynomial to points by least squares.

    Args:
        x: Vector of m coordinates.
        y: Values at x: a vector, or a matrix of m rows that is fitted column by column.
        deg: Degree of the polynomial.
        rcond: Singular values up to `rcond` times the largest one count as zero; None (default)
            for m times the epsilon of the dtype.
        full: Also return what `lstsq` returns; False by default.
        w: Weights of the residuals, a vector of length m; None (default) for ones.
        cov: Also return the covariance matrix of the coefficients, scaled by the residuals if
            True, or unscaled if "unscaled"; False by default.

    Returns:
        Coefficients, highest power first. With `full`, a tuple of coefficients, residuals, rank,
        singular values and rcond; with `cov`, a tuple of coefficients and covariance.

    Raises:
        ShapeError: If the shapes do not fit.
        ArgumentError: If there are too few points for `cov`.

    >>> import py_tensor as pt
    >>> fit = pt.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1)
    >>> [round(value, 3) for value in fit.tolist()]
    [2.0, 1.0]
    """
    x, y = as_floating("polyfit", x), as_floating("polyfit", y)
    if x.ndim != 1 or y.ndim not in (1, 2) or not x.size or y.shape[0] != x.size:
        raise ShapeError(f"polyfit: points do not pair; got shapes {x.shape} and {y.shape}")
    deg = integer("polyfit", "deg", deg, 0, _MOST_POWERS - 1)
    rcond = x.size * F.finfo(x.dtype).eps if rcond is None else number("polyfit", "rcond", rcond)
    left, right = vander(x, deg + 1), y
    if w is not None:
        weights = F.reshape(as_floating("polyfit", w), (-1, 1))
        left = left * weights
        right = right * (weights if y.ndim == 2 else weights[:, 0])
    # Columns of one length improve the condition number.
    scale = F.sqrt(F.sum(F.square(left), axis=0))
    scaled = left / scale
    rows = right if y.ndim == 2 else F.expand_dims(right, axis=1)
    solution, residuals, rank, singular = linalg.lstsq(scaled, rows, rcond=rcond)
    fit = solution / F.expand_dims(scale, axis=1)
    coefficients = fit if y.ndim == 2 else fit[:, 0]
    if flag("polyfit", "full", full):
        return coefficients, residuals, rank, singular, rcond
    if not flag("polyfit", "cov", cov):
        return coefficients
    base = linalg.inv(scaled.T @ scaled) / (scale * F.expand_dims(scale, axis=1))
    if cov == "unscaled":
        factor: Any = 1.0
    else:
        if x.size <= deg + 1:
            raise ArgumentError(
                f"polyfit: too few points for the covariance; got {x.size}; use more than {deg + 1}"
            )
        factor = F.sum(F.square(rows - left @ fit), axis=0) / float(x.size - deg - 1)
        factor = factor if y.ndim == 2 else factor[0]
    return coefficients, F.expand_dims(base, axis=2) * factor if y.ndim == 2 else base * factor


class poly1d:
    """Polynomial of one variable with operators, as in NumPy; coefficients are read back.

    Args:
        c_or_r: Coefficients, highest power first, or zeros.
        r: True for zeros; False by default.
        variable: Name of the variable in texts; "x" by default.

    >>> import py_tensor as pt
    >>> p = pt.poly1d([1.0, -3.0, 2.0])
    >>> p(3.0).item(), p.order, (p * 2).coeffs.tolist()
    (2.0, 2, [2.0, -6.0, 4.0])
    """

    coeffs: Tensor

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        own = c_or_r.coeffs if isinstance(c_or_r, poly1d) else c_or_r
        own = poly(own) if flag("poly1d", "r", r) else own
        coefficients = F.reshape(_coefficients("poly1d", own), (-1,))
        used = [at for at, value in enumerate(coefficients.tolist()) if value]
        self.coeffs = coefficients[used[0] :] if used else F.zeros((1,), dtype=coefficients.dtype)
        self.variable = getattr(c_or_r, "variable", "x") if variable is None else variable

    @property
    def coefficients(self) -> Tensor:
        """Coefficients, highest power first."""
        return self.coeffs

    c = coef = coefficients

    @property
    def order(self) -> int:
        """Degree of the polynomial."""
        return self.coeffs.size - 1

    o = order

    @property
    def roots(self) -> Tensor:
        """Zeros of the polynomial."""
        return roots(self.coeffs)

    r = roots

    def __call__(self, val: Any) -> Any:
        return polyval(self.coeffs, val)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.coeffs.__array__(dtype)

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.coeffs)

    def __getitem__(self, power: int) -> Any:
        return self.coeffs[self.order - power] if 0 <= power <= self.order else 0

    def __setitem__(self, power: int, value: Any) -> None:
        own = F.pad(self.coeffs, ((max(power - self.order, 0), 0),))
        own[own.size - 1 - power] = value
        self.coeffs = own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, poly1d):
            return NotImplemented
        return bool(self.coeffs.tolist() == other.coeffs.tolist())

    def __neg__(self) -> poly1d:
        return poly1d(-self.coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other: Any) -> poly1d:
        return poly1d(polyadd(self.coeffs, poly1d(other).coeffs))

    def __sub__(self, other: Any) -> poly1d:
        return poly1d(polysub(self.coeffs, poly1d(other).coeffs))

    def __rsub__(self, other: Any) -> poly1d:
        return poly1d(other) - self

    def __mul__(self, other: Any) -> poly1d:
        return poly1d(polymul(self.coeffs, poly1d(other).coeffs))

    def __pow__(self, exponent: int) -> poly1d:
        result = poly1d([1])
        for _ in range(integer("poly1d", "exponent", exponent, 0, _MOST_POWERS)):
            result = result * self
        return result

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, poly1d):
            return tuple(poly1d(part) for part in polydiv(self.coeffs, other.coeffs))
        return poly1d(self.coeffs / other)

    __radd__, __rmul__ = __add__, __mul__

    def deriv(self, m: int = 1) -> poly1d:
        """Return the derivative of order m."""
        return poly1d(polyder(self.coeffs, m))

    def integ(self, m: int = 1, k: ArrayLike | None = None) -> poly1d:
        """Return the integral of order m, with the constants k."""
        return poly1d(polyint(self.coeffs, m, k))

    def __repr__(self) -> str:
        return f"poly1d({self.coeffs.tolist()})"

    def __str__(self) -> str:
        above, text = "", ""
        for power, value in zip(range(self.order, -1, -1), self.coeffs.tolist(), strict=True):
            if value or not self.order:
                sign = (" - " if text else "-") if value < 0 else " + " if text else ""
                text += f"{sign}{abs(value):.4g}" + (f" {self.variable}" if power else "")
            if value and power > 1:
                above = above.ljust(len(text)) + str(power)
                text += " " * (len(str(power)) - 1)
        return f"{above or ' '}\n{text}"
