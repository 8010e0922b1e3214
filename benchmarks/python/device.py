"""Check and measure py_tensor on a device: values, speed, and the settings of each backend."""

import json
from time import perf_counter

import py_tensor as pt

SIDE = 1024
"""Rows of the matrices whose product is timed."""
ROUNDS = 5
LONGEST_MS = 1500
"""Milliseconds after which no more rounds begin, for software renderers."""
CLOSE = 2e-4
"""Differences that float32 and the functions of drivers make, relative to the largest value.

Integers and truth values have to be equal.
"""


def angles(x):
    return pt.concat([pt.sin(20 * x), pt.cos(20 * x), pt.tan(x), pt.atan2(x, 1 - x)])


def powers(x):
    return pt.concat([pt.exp(x), pt.log1p(pt.abs(x)), pt.sqrt(pt.abs(x)), pt.pow(pt.abs(x), 1.7)])


def specials(x):
    infinite = x / (x - x)
    return pt.concat([pt.isnan(infinite - infinite), pt.isinf(infinite), pt.isfinite(x)])


def integers(x):
    numbers = pt.astype(x * 1e9, "int32")
    return pt.concat([numbers // 7, numbers % 1000, numbers ^ 12345, numbers * 3])


def small_integers(x):
    return pt.astype(pt.abs(x) * 200, "uint8") + pt.asarray(100, dtype="uint8")


def whole(x):
    return pt.reshape(x[:60], (4, 15))


CHECKS = {
    "angles": angles,
    "powers": powers,
    "NaN and infinity": specials,
    "32-bit integers": integers,
    "8-bit integers": small_integers,
    "sums": lambda x: pt.sum(whole(x), axis=1),
    "cumulative sums": lambda x: pt.cumulative_sum(x),
    "extremes": lambda x: pt.concat([pt.argmax(whole(x), axis=0), pt.argmin(whole(x), axis=0)]),
    "sorts": lambda x: pt.concat([pt.sort(x), pt.astype(pt.argsort(x), "float32")]),
    "indices": lambda x: pt.take(x, pt.asarray([3, 1, 4, 1, 5, 9, 2, 6])),
    "masks": lambda x: pt.where(x > 0, x, -2 * x),
    "products of matrices": lambda x: whole(x) @ pt.matrix_transpose(whole(x)),
    "softmax": lambda x: pt.softmax(whole(x), axis=-1),
    "convolutions": lambda x: pt.conv2d(
        pt.reshape(x, (1, 8, 8, 1)), pt.reshape(x[:9], (3, 3, 1, 1))
    ),
    "Fourier transforms": lambda x: pt.abs(pt.fft.fft(x)),
    "inverses": lambda x: pt.linalg.inv(pt.reshape(x[:16], (4, 4)) + 3 * pt.eye(4)),
    "gradients": lambda x: pt.grad(lambda y: pt.sum(pt.tanh(y) * y))(x),
    "random numbers": lambda x: pt.random.uniform(pt.random.key(7), (64,)),
}


async def values_of(backend):
    """Return the values of all checks on a backend, or the errors."""
    await choose(backend)
    values = {}
    for name, compute in CHECKS.items():
        # The numbers are equal on all backends, and none is a multiple of another.
        x = pt.asarray([((7 * i) % 64 - 31.5) / 32 for i in range(64)], dtype="float32")
        try:
            values[name] = await read(compute(x))
        except pt.errors.TensorError as error:
            values[name] = str(error)
    return values


async def read(tensor):
    return list(await pt.reshape(tensor, (-1,)).data())


async def choose(backend):
    await pt.ready(backend)
    pt.set_backend(backend)


def differs(values, expected):
    if isinstance(values, str) or isinstance(expected, str):
        return True
    is_exact = not any(isinstance(value, float) for value in expected)
    allowed = 0 if is_exact else CLOSE * max(1.0, *map(abs, expected))
    pairs = zip(values, expected, strict=True)
    return not all(abs(value - wanted) <= allowed for value, wanted in pairs)


async def checked(backend, expected):
    """Return the number of checks and the names of those with other values than plain Python."""
    values = await values_of(backend)
    return [name for name in CHECKS if differs(values[name], expected[name])]


async def least(compute):
    """Return the least milliseconds of some calls, each until a value is read."""
    # The first call compiles.
    await compute().data()
    times = []
    while len(times) < ROUNDS and sum(times) < LONGEST_MS:
        begin = perf_counter()
        await compute().data()
        times.append((perf_counter() - begin) * 1e3)
    return min(times)


async def speeds():
    """Return milliseconds of a small call, and GFLOP/s of a product of matrices."""
    small = pt.ones((64,)) + 1.0
    # Rows with the sum 1 keep powers of the matrix finite.
    a = pt.random.uniform(pt.random.key(1), (SIDE, SIDE)) * (2 / SIDE)
    pt.realize(small, a)
    call = await least(lambda: pt.sum(small * 2.0))
    count = 1

    def products():
        result = a
        for _ in range(count):
            result = result @ a
        return result[0, 0]

    product = await least(products)
    # A product that is not much slower than a call is repeated, so that the call counts little.
    if product < LONGEST_MS / 10:
        count = max(1, round(LONGEST_MS / 10 / product))
        product = await least(products) / count
    return call, 2 * SIDE**3 / product / 1e6


async def measured(backend, expected):
    """Return what a backend can do as JSON."""
    begin = perf_counter()
    await choose(backend)
    pt.sum(pt.ones((3,)) + 1.0).tolist() if backend == "wasm" else await pt.ones((3,)).data()
    start = (perf_counter() - begin) * 1e3
    wrong = await checked(backend, json.loads(expected))
    call, flops = await speeds()
    facts = {name: getattr(pt.env, name) for name in pt.env}
    plain = {name: value for name, value in facts.items() if isinstance(value, (int, str))}
    return json.dumps(
        {"start": start, "wrong": wrong, "checks": len(CHECKS), "call": call, "flops": flops}
        | {"facts": {name: str(value) for name, value in plain.items()}}
    )


async def expected():
    """Return the values of plain Python as JSON."""
    return json.dumps(await values_of("python"))
