"""Functions of `elementary` differ by at most 2 ULP from those of NumPy in float64."""

import math

import array_language
import numpy as np
import pytest

pytestmark = [pytest.mark.host, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
LANGUAGE = array_language.functions()
MANTISSAS = 2000
LIMIT = 2
SPECIAL = np.array(
    [
        *(0.0, 1.0, 2.0, 3.0, 0.5, 2.5, 1e-45, 1.17549435e-38, 3e38, np.inf, np.nan),
        *(2.0**24, 2.0**24 - 1, 1 + 2.0**-23, 1 - 2.0**-24),
    ],
    np.float32,
)


def sample(seed=0, count=MANTISSAS):
    """Return numbers of every exponent and both signs."""
    rng = np.random.default_rng(seed)
    mantissas = np.append(rng.integers(0, 1 << 23, count), [0, 1, 0x3504F3, 0x7FFFFF])
    magnitudes = (np.arange(256)[:, None] << 23 | mantissas).ravel().astype(np.uint32)
    return np.append(magnitudes, magnitudes | np.uint32(1 << 31)).view(np.float32)


def pairs(limit=149):
    """Return pairs of numbers with exponents up to a limit, and all pairs of special numbers."""
    rng = np.random.default_rng(1)
    x, y = np.ldexp(rng.uniform(-2, 2, (2, 10**6)), rng.integers(-limit, limit, (2, 10**6)))
    special = np.append(SPECIAL, -SPECIAL)
    a, b = np.meshgrid(special, special)
    return np.append(x, a).astype(np.float32), np.append(y, b).astype(np.float32)


def order(x):
    """Number the floats in their order, so that neighbours differ by 1."""
    raw = x.view(np.int32).astype(np.int64)
    return np.where(raw < 0, -(raw & 0x7FFFFFFF), raw)


def check(function, reference, *operands, limit=LIMIT):
    result = function(*operands)
    expected = reference(*[x.astype(np.float64) for x in operands]).astype(np.float32)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    number = ~np.isnan(result)
    distance = np.abs(order(result) - order(expected)) * number
    worst = distance.argmax()
    assert distance[worst] <= limit, [distance[worst], *[float(x[worst]) for x in operands]]
    zero = (result == 0.0) & (expected == 0.0)
    np.testing.assert_array_equal(np.signbit(result[zero]), np.signbit(expected[zero]))


REFERENCES = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log1p")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(np, f"arc{name[1:]}") for name in ("asin", "acos", "atan")},
    **{name: getattr(np, f"arc{name[1:]}") for name in ("asinh", "acosh", "atanh")},
    **{name: getattr(np, name) for name in ("sqrt", "sign")},
    "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]),
    "fract": lambda x: x - np.floor(x),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_functions_of_one_operand(name):
    x = sample()
    if name == "fract":
        # A fraction just below 1 rounds to 1; float64 also gives NaN for infinite numbers.
        x = x[np.abs(x) < 2.0**22]
    check(getattr(LANGUAGE, name), REFERENCES[name], x)


@pytest.mark.parametrize("name", ["exp", "expm1", "tanh", "log", "log1p", "asinh", "erf", "erfc"])
def test_dense_numbers_near_one(name):
    x = np.linspace(-12.0, 12.0, 2_000_001).astype(np.float32)
    check(getattr(LANGUAGE, name), REFERENCES[name], x)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_neighbours_of_quarter_turns(name):
    quarters = (np.arange(1, 200_000) * (np.pi / 2)).astype(np.float32).view(np.uint32)
    x = np.concatenate([quarters - 1, quarters, quarters + 1]).view(np.float32)
    check(getattr(LANGUAGE, name), REFERENCES[name], x)


def test_log10_is_a_multiple_of_log():
    check(lambda x: LANGUAGE.log(x) * np.float32(0.43429448190325182), np.log10, sample())


def test_sigmoid_of_numbers_whose_exponential_is_finite():
    x = sample()
    x = x[~(x < -87.3)]
    check(lambda x: 1 / (1 + LANGUAGE.exp(-x)), lambda x: 1 / (1 + np.exp(-x)), x)


PAIRS = {"atan2": np.arctan2, "hypot": np.hypot, "pow_f": np.power}


@pytest.mark.parametrize("limit", [3, 149])
@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_operands(name, limit):
    check(getattr(LANGUAGE, name), PAIRS[name], *pairs(limit))


def test_logaddexp_of_operands_without_cancellation():
    x, y = pairs(8)
    wide = ~((np.maximum(x, y) < 0.0) & (np.maximum(x, y) > -1.4))
    check(LANGUAGE.logaddexp, np.logaddexp, x[wide], y[wide])


def test_powers_whose_results_have_every_exponent():
    x = np.abs(sample(count=500))
    x = x[(x > 0.0) & np.isfinite(x) & (x != 1.0)]
    rng = np.random.default_rng(2)
    y = (rng.uniform(-151.0, 129.0, x.shape) / np.log2(x.astype(np.float64))).astype(np.float32)
    check(LANGUAGE.pow_f, np.power, x, y)
    near = (1.0 + rng.uniform(-1, 1, 10**6) * 2.0 ** -rng.uniform(1, 24, 10**6)).astype(np.float32)
    near = near[near != 1.0]
    y = rng.uniform(-151.0, 129.0, near.shape) / np.log2(near.astype(np.float64))
    check(LANGUAGE.pow_f, np.power, near, y.astype(np.float32))


def test_powers_of_integers_are_exact():
    x, y = (a.ravel().astype(np.float32) for a in np.meshgrid(np.arange(-4097, 4097), range(25)))
    expected = np.power(x.astype(np.float64), y.astype(np.float64))
    exact = np.abs(expected) <= 2.0**24
    np.testing.assert_array_equal(LANGUAGE.pow_f(x, y)[exact], expected[exact])


@pytest.mark.parametrize("limit", [3, 60, 149])
def test_remainder_is_exact(limit):
    x, y = pairs(limit)
    expected = np.remainder(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(LANGUAGE.remainder_f(x, y), expected)


def test_half_bits_are_those_of_numpy():
    x = sample()
    halves = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float32)
    middles = (halves[:-1] + halves[1:]) / 2
    x = np.concatenate([x, halves, middles, np.nextafter(middles, np.float32(0)), -middles])
    x = x[~np.isnan(x)]
    expected = x.astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(LANGUAGE.half_bits(x), expected)


def test_from_half_bits_are_those_of_numpy():
    n = np.arange(1 << 16, dtype=np.uint32)
    expected = n.astype(np.uint16).view(np.float16).astype(np.float32)
    np.testing.assert_array_equal(LANGUAGE.from_half_bits(n), expected)


def test_half_nans_are_quiet_and_keep_their_payload():
    payload = np.arange(1, 0x400, dtype=np.uint32)
    floats = LANGUAGE.from_half_bits(payload | 0xFC00)
    np.testing.assert_array_equal(floats.view(np.uint32), 0xFFC00000 | payload << 13)
    np.testing.assert_array_equal(LANGUAGE.half_bits(floats), 0xFE00 | payload)
