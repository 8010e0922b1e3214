"""Random numbers: JAX's bits, the same on every backend, with the right distribution."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors

KNOWN = json.loads((Path(__file__).parent / "reference_data" / "jax_numbers.json").read_text())[
    "draws"
]


@pytest.fixture(params=KNOWN, ids=lambda draws: str(draws["seed"]))
def known(request):
    return request.param


def key_of(known):
    return pt.random.key(known["seed"])


def test_key(known):
    assert key_of(known).tolist() == known["key"]


def test_bits(known):
    assert_values(pt.random.bits(key_of(known), (3, 7)), np.uint32(known["bits"]))


def test_split(known):
    assert pt.random.split(key_of(known), 5).tolist() == known["split"]


def test_uniform(known):
    assert_values(pt.random.uniform((17,), key=key_of(known)), np.float32(known["uniform"]))


def test_normal(known):
    got = pt.random.normal((17,), key=key_of(known))
    assert_values(got, np.float32(known["normal"]), rtol=4e-6, atol=1e-6)


def test_randint(known):
    for low, high, values in known["randint"]:
        assert_values(
            pt.random.integers(low, high, (11,), key=key_of(known)),
            np.int32(values),
            what=f"{low} {high}",
        )


@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (2, 3, 5), (0,), (3000, 7)], ids=str)
def test_shapes_use_the_same_numbers_in_order(shape):
    key = pt.random.key(3)
    n = math.prod(shape)
    flat = pt.random.bits(key, (n,))
    assert_values(pt.random.bits(key, shape), flat.numpy().reshape(shape))


DRAWS = {
    "uniform": lambda: pt.random.uniform((4,)),
    "normal": lambda: pt.random.normal((4,)),
    "integers": lambda: pt.random.integers(0, 1000, (4,)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_seeds_repeat_and_draws_advance(name):
    pt.random.seed(5)
    first, second = DRAWS[name]().tolist(), DRAWS[name]().tolist()
    pt.random.seed(5)
    assert DRAWS[name]().tolist() == first
    assert DRAWS[name]().tolist() == second != first
    pt.random.seed(6)
    assert DRAWS[name]().tolist() != first


def test_numbers_are_the_same_on_every_backend(engine):
    """Compare with stored numbers of the NumPy backend, on every backend."""
    pt.random.seed(2026)
    assert pt.random.integers(0, 1_000_000, (4,)).tolist() == INTEGERS
    assert pt.random.uniform((3,)).tolist() == UNIFORM


INTEGERS = [913003, 559055, 794976, 611284]
UNIFORM = [0.8273433446884155, 0.3153005838394165, 0.08871090412139893]


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (5.0, 5.5)])
def test_uniform_moments(low, high):
    x = pt.random.uniform((100_000,), low=low, high=high, key=pt.random.key(1)).numpy()
    assert low <= x.min() and x.max() < high + (high - low) * 1e-6
    width = high - low
    assert abs(x.mean(dtype="float64") - (low + high) / 2) < 5 * width / math.sqrt(12 * len(x))
    assert abs(x.var(dtype="float64") - width**2 / 12) < 0.01 * width**2


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (3.0, 0.5)])
def test_normal_moments(mean, std):
    x = (
        pt.random.normal((100_000,), mean=mean, std=std, key=pt.random.key(2))
        .numpy()
        .astype("float64")
    )
    z = (x - mean) / std
    assert abs(z.mean()) < 5 / math.sqrt(len(z))
    assert abs(z.var() - 1) < 0.03
    assert abs((z**3).mean()) < 0.05
    assert abs((z**4).mean() - 3) < 0.2
    assert np.isfinite(z).all()


@pytest.mark.parametrize(("low", "high"), [(0, 2), (-3, 4), (100, 110)])
def test_integers_are_uniform(low, high):
    x = pt.random.integers(low, high, (70_000,), key=pt.random.key(4)).numpy()
    counts = np.bincount(x - low)
    assert len(counts) == high - low
    expected = len(x) / len(counts)
    assert ((counts - expected) ** 2 / expected).sum() < 40


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_float_dtypes(dtype):
    assert_spec(pt.random.uniform((3,), dtype=dtype), (3,), dtype)
    assert_spec(pt.random.normal((3,), dtype=dtype), (3,), dtype)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("int8", -128, 128),
        ("uint8", 0, 256),
        ("int16", -5, 5),
        ("uint16", 9, 60000),
        ("uint32", 0, 2**32),
        ("int32", -(2**31), 2**31),
    ],
)
def test_integer_dtypes(dtype, low, high):
    x = pt.random.integers(low, high, (2000,), dtype=dtype)
    assert_spec(x, (2000,), dtype)
    values = x.numpy()
    assert low <= values.min() and values.max() < high
    assert values.max() - values.min().astype("float64") > 0.9 * (high - low) - 2


def test_one_argument_counts_from_zero():
    assert set(pt.random.integers(3, shape=(200,)).tolist()) == {0, 1, 2}
    key = pt.random.key(0)
    bounds = np.int64(-2), np.int64(5)
    aligned = pt.random.integers(-2, 5, (9,), key=key).tolist()
    assert pt.random.integers(*bounds, (9,), key=key).tolist() == aligned


def test_wrong_arguments():
    text = (
        "integers: range is invalid; got 5 to 5 as int32; high must be above low and within the "
        "dtype"
    )
    assert_raises(errors.ArgumentError, text, lambda: pt.random.integers(5, 5))
    text = (
        "integers: range is invalid; got 0 to 300 as uint8; high must be above low and within the "
        "dtype"
    )
    assert_raises(errors.ArgumentError, text, lambda: pt.random.integers(0, 300, dtype="uint8"))
    text = "normal: dtype int32 is not floating; got int32; use float32 or float16"
    assert_raises(errors.DTypeError, text, lambda: pt.random.normal((2,), dtype="int32"))


# --- generators of tasks --------------------------------------------------------------------------


def draws(count=3):
    return [pt.random.uniform((2,)).tolist() for _ in range(count)]


def seeded_draws(value, count=3):
    with pt.random.seeded(value):
        return draws(count)


def test_a_seeded_block_has_its_own_key():
    pt.random.seed(3)
    plain = draws()
    pt.random.seed(3)
    first = draws(1)
    assert seeded_draws(7) == seeded_draws(7) != seeded_draws(8)
    assert first + draws(2) == plain
    assert seeded_draws(3) == plain
    with pytest.raises(ValueError, match="mine"), pt.random.seeded(5):
        raise ValueError("mine")
    pt.random.seed(3)
    assert draws() == plain


def test_seeded_blocks_nest_and_seed_sets_the_innermost():
    with pt.random.seeded(1):
        first = draws(1)
        with pt.random.seeded(2):
            inner = draws(1)
            pt.random.seed(1)
            assert draws(1) == first
        rest = draws(2)
    assert first + rest == seeded_draws(1)
    assert inner == seeded_draws(2, 1)


def test_tasks_with_seeded_blocks_do_not_disturb_each_other():
    async def own(value):
        numbers = []
        with pt.random.seeded(value):
            for _ in range(3):
                numbers += draws(1)
                await asyncio.sleep(0)
        return numbers

    async def plain():
        numbers = []
        for _ in range(3):
            numbers += draws(1)
            await asyncio.sleep(0)
        return numbers

    async def main():
        pt.random.seed(9)
        return await asyncio.gather(own(1), own(2), plain())

    numbers = asyncio.run(main())
    pt.random.seed(9)
    assert numbers == [seeded_draws(1), seeded_draws(2), draws()]


def test_the_global_key_is_that_of_all_tasks():
    async def seeding():
        pt.random.seed(4)

    asyncio.run(seeding())
    assert draws() == seeded_draws(4)


def test_jitted_functions_draw_from_the_callers_generator():
    noise = pt.jit(lambda: pt.random.uniform((2,)))
    noise()
    for value in (1, 2):
        with pt.random.seeded(value):
            assert [noise().tolist() for _ in range(3)] == seeded_draws(value)


def test_a_seeded_block_inside_jit_starts_anew_at_each_call():
    @pt.jit
    def noise(seed):
        with pt.random.seeded(seed):
            a = pt.random.uniform((2,))
            b = pt.random.uniform((2,))
        with pt.random.seeded(3):
            pt.random.seed(seed + 1)
            c = pt.random.uniform((2,))
        return a, b, c, pt.random.uniform((2,))

    pt.random.seed(6)
    rest = []
    for seed in (1, 1, 2):
        *earlier, last = [t.tolist() for t in noise(seed)]
        assert earlier == [*seeded_draws(seed, 2), *seeded_draws(seed + 1, 1)]
        rest.append(last)
    pt.random.seed(6)
    assert rest == draws()
