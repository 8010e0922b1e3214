"""Writes jax_numbers.json: what JAX draws for a few keys. Run where JAX is installed:

pip install "jax==0.10.2"
python tests/reference_data/make_jax_numbers.py >tests/reference_data/jax_numbers.json
"""

import json

import jax
import numpy as np


def words(key):
    return [int(word) for word in jax.random.key_data(key)]


def draws(seed):
    key = jax.random.key(seed)
    return {
        "seed": seed,
        "key": words(key),
        "bits": np.asarray(jax.random.bits(key, (3, 7))).tolist(),
        "split": [words(part) for part in jax.random.split(key, 5)],
        "uniform": np.asarray(jax.random.uniform(key, (17,))).tolist(),
        "normal": np.asarray(jax.random.normal(key, (17,))).tolist(),
        "randint": [
            [low, high, np.asarray(jax.random.randint(key, (11,), low, high)).tolist()]
            for low, high in [(0, 10), (-100, 100), (0, 65536), (-(2**31), 2**31 - 1), (7, 8)]
        ],
    }


if jax.config.jax_threefry_partitionable is not True:
    raise SystemExit("these are the numbers of jax_threefry_partitionable, JAX's default")
numbers = {
    "made by": f"jax {jax.__version__}, tests/reference_data/make_jax_numbers.py",
    "draws": [draws(seed) for seed in (0, 1, 42, 2**31 - 1)],
}
print(json.dumps(numbers, indent=1))
