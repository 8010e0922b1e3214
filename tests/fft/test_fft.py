"""Fourier transforms against NumPy's in double precision."""

from __future__ import annotations

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_spec

import py_tensor as pt
from py_tensor.errors import ArgumentError, DTypeError, ShapeError
from py_tensor.fft.lengths import LONGEST, convolution_length, factors

RMS = 6e-7
"""Root of the mean square of errors over that of results: up to 4.5e-7 was measured, of a prime
length of a million; up to 2.5e-7 where there are stages alone, of 2**20 elements."""
TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")
OF_REAL = ("rfft", "ihfft", "rfftn")


def sample(rng, *shape):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("complex64")


def assert_near(tensor, expected, *, rms=RMS, what=""):
    """Assert shape, dtype, and the size of the errors relative to that of the results."""
    expected = np.asarray(expected)
    assert_spec(tensor, expected.shape, "complex64" if expected.dtype.kind == "c" else "float32")
    error = np.linalg.norm(np.ravel(tensor.numpy() - expected))
    rms = half_storage.tolerance(rms)
    assert error <= rms * np.linalg.norm(np.ravel(expected)), f"{what}: {error}"


def wide(x):
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def check(name, x, what="", **arguments):
    operand = x.real.copy() if name in OF_REAL else x
    got = getattr(pt.fft, name)(pt.asarray(operand), **arguments)
    assert_near(got, getattr(np.fft, name)(wide(operand), **arguments), what=f"{name} {what}")


def test_near_can_fail(rng):
    x = sample(rng, 8)
    with pytest.raises(AssertionError):
        assert_near(pt.asarray(x), x * (1 + 1e-6))


# --- lengths --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 12, 17, 49, 64, 100, 127, 210, 1000, 4096])
def test_lengths(n, rng):
    x = sample(rng, n)
    check("fft", x)
    check("ifft", x)


@pytest.mark.parametrize("n", [131, 10007])
def test_lengths_with_large_prime_factors(n, rng):
    check("fft", sample(rng, n))


def test_a_million_elements(rng):
    x = sample(rng, 1 << 20)
    got = pt.fft.fft(pt.asarray(x))[::61]
    assert_near(got, np.fft.fft(wide(x))[::61])


def test_errors_are_small_everywhere(rng):
    """Transform tones and impulses, whose exact transforms are sparse and known."""
    n = 1000
    k = np.arange(n)
    for frequency in (1, 333, 500):
        tone = np.exp(2j * np.pi * frequency * k / n).astype("complex64")
        got = pt.fft.fft(pt.asarray(tone)).numpy()
        expected = np.where(k == frequency, n, 0)
        assert np.abs(got - expected).max() < 4e-6 * n
        impulse = (k == frequency).astype("float32")
        got = pt.fft.fft(pt.asarray(impulse)).numpy()
        # Two rounded factors are used; the second also multiplies the first's rounding error.
        assert np.abs(got - np.exp(-2j * np.pi * frequency * k / n)).max() < 4e-7


def test_factors_of_a_stage_are_exact():
    """Quarter rotations give exact zeros and ones, so small integers stay exact."""
    got = pt.fft.fft(pt.asarray([1.0, 2.0, 3.0, 4.0])).tolist()
    assert got == [10 + 0j, -2 + 2j, -2 + 0j, -2 - 2j]


def test_stages_multiply_to_the_length():
    for n in (2, 17, 360, 1024, 99000, 1 << 20):
        stages = factors(n)
        assert np.prod(stages) == n
        assert max(stages) <= LONGEST
    assert factors(1009) is None
    for n in (131, 1009, 20011):
        assert convolution_length(n) >= 2 * n - 1
        assert factors(convolution_length(n)) is not None


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_lengths_axes_and_norms(name, norm, rng):
    x = sample(rng, 2, 6, 5)
    check(name, x, axis=1, norm=norm)
    check(name, x, n=4, norm=norm)
    check(name, x, n=9, axis=-2, norm=norm)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name, rng):
    x = sample(rng, 2, 6, 5)
    check(name, x)
    check(name, x, axes=(2, 0), s=(4, 3), norm="ortho")


def test_real_operands_of_any_dtype(rng):
    x = rng.integers(-5, 5, (3, 8)).astype("int32")
    assert_near(pt.fft.fft(pt.asarray(x)), np.fft.fft(x))
    assert_near(pt.fft.rfft(pt.asarray(x.astype("float16"))), np.fft.rfft(x))
    assert_near(pt.fft.irfft(pt.asarray(x)), np.fft.irfft(x))
    assert_near(pt.fft.fft([1.0, 2.0]), np.array([3.0 + 0j, -1.0]))


def test_inverses(rng):
    x = sample(rng, 3, 30)
    assert_near(pt.fft.ifft(pt.fft.fft(pt.asarray(x))), x)
    assert_near(pt.fft.irfft(pt.fft.rfft(pt.asarray(x.real.copy()))), x.real)
    assert_near(pt.fft.irfft(pt.fft.rfft(pt.asarray(x.real[:, :15].copy())), n=15), x.real[:, :15])
    assert_near(pt.fft.ihfft(pt.fft.hfft(pt.asarray(x.real.copy()), n=58)), x.real + 0j)
    assert_near(pt.fft.ifftn(pt.fft.fftn(pt.asarray(x))), x)


def test_empty_batches():
    assert_spec(pt.fft.fft(pt.zeros((0, 8))), (0, 8), "complex64")


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_frequencies(n):
    for d in (1.0, 0.1):
        for name in ("fftfreq", "rfftfreq"):
            got, expected = getattr(pt.fft, name)(n, d=d), getattr(np.fft, name)(n, d)
            assert_spec(got, expected.shape, "float32")
            np.testing.assert_allclose(got.numpy(), expected, rtol=2e-7)


def test_shifts(rng):
    for shape in ((7,), (2, 5, 4)):
        x = rng.normal(size=shape).astype("float32")
        for axes in (None, -1, (0, -1) if len(shape) > 1 else (0,)):
            for name in ("fftshift", "ifftshift"):
                got = getattr(pt.fft, name)(pt.asarray(x), axes=axes)
                np.testing.assert_array_equal(got.numpy(), getattr(np.fft, name)(x, axes))


def test_wrong_arguments():
    x = pt.ones((2, 4))
    for error, text, call in (
        (
            ArgumentError,
            'fft: norm is unknown; got \'both\'; use "backward", "ortho" or "forward"',
            lambda: pt.fft.fft(x, norm="both"),
        ),
        (
            ShapeError,
            "ifft: axis out of range; got axis 2 for 2 axes; use -2 to 1",
            lambda: pt.fft.ifft(x, axis=2),
        ),
        (
            ShapeError,
            "fft: length of the transform must be positive; got length 0 for shape (2, 4); use at "
            "least one element",
            lambda: pt.fft.fft(x, n=0),
        ),
        (
            ShapeError,
            "irfft: length of the transform must be positive; got length 0 for shape (2, 1); use "
            "at least one element",
            lambda: pt.fft.irfft(x[:, :1]),
        ),
        (
            DTypeError,
            "rfft: input must be real; got complex64; use pt.fft.fft or pt.real(x)",
            lambda: pt.fft.rfft(x.astype("complex64")),
        ),
        (
            DTypeError,
            "ihfft: input must be real; got complex64; use pt.fft.ifft or pt.real(x)",
            lambda: pt.fft.ihfft(x.astype("complex64")),
        ),
        (
            ShapeError,
            "fftn: axes are invalid; got (0, 0) for shape (2, 4); name at least one axis, each "
            "only once",
            lambda: pt.fft.fftn(x, axes=(0, 0)),
        ),
        (
            ShapeError,
            "fftn: number of lengths must equal number of axes; got s (2,) for 2 axes; pass one "
            "length per axis",
            lambda: pt.fft.fftn(x, s=(2,), axes=(0, 1)),
        ),
        (
            ArgumentError,
            "fftfreq: number of samples must be positive; got n 0; use 1 or more",
            lambda: pt.fft.fftfreq(0),
        ),
        (
            DTypeError,
            'rfftfreq: dtype int32 is not floating; use dtype="float32"',
            lambda: pt.fft.rfftfreq(4, dtype="int32"),
        ),
    ):
        assert_raises(error, text, call)


# --- with other parts of the package --------------------------------------------------------------


def test_gradients(rng):
    """The transform is linear, so its pull-back is its adjoint: the unnormalized inverse."""
    x, g = sample(rng, 2, 12), sample(rng, 2, 12)
    _, pull = pt.vjp(pt.fft.fft, pt.asarray(x))
    assert_near(pull(pt.asarray(g))[0], np.fft.ifft(wide(g), norm="forward"))
    _, pull = pt.vjp(pt.fft.rfft, pt.asarray(x.real.copy()))
    wanted = np.fft.ifft(np.pad(wide(g[:, :7]), ((0, 0), (0, 5))), norm="forward").real
    assert_near(pull(pt.asarray(g[:, :7]))[0], wanted)


def test_jit(rng):
    @pt.jit
    def filtered(x, keep):
        spectrum = pt.fft.rfft(x)
        return pt.fft.irfft(pt.where(pt.arange(spectrum.shape[-1]) < keep, spectrum, 0.0))

    x = rng.normal(size=(2, 64)).astype("float32")
    for keep in (5, 20):
        spectrum = np.fft.rfft(wide(x))
        expected = np.fft.irfft(np.where(np.arange(33) < keep, spectrum, 0))
        assert_near(filtered(pt.asarray(x), keep), expected)


def test_few_draws(rng, backend_name):
    x = pt.asarray(sample(rng, 1024))
    pt.realize(x)
    before = pt.cache_info().draws
    y = pt.fft.fft(x)
    pt.realize(y)
    if backend_name in ("webgl", "webgpu"):
        assert pt.cache_info().draws - before <= 8


def test_cached_calls_take_other_operands(rng):
    for _ in range(3):
        x = sample(rng, 3, 20)
        assert_near(pt.fft.fft(pt.asarray(x) * 1), np.fft.fft(wide(x)))
