"""Record numbers of `jax.random` for key 7 in jax_key_numbers.json.

usage: python tests/reference_data/make_jax_key_numbers.py
"""

import json
from pathlib import Path

import jax
import jax.numpy as pt
import numpy as np

CALLS = [
    "random.PRNGKey(7)",
    "random.split(key)",
    "random.fold_in(key, 3)",
    "random.fold_in(key, 4294967295)",
    "random.bits(key, (3,))",
    "random.uniform(key, (3,))",
    "random.uniform(key, (2, 2), minval=-1.0, maxval=3.0)",
    "random.normal(key)",
    "random.normal(key, (3,), dtype='float32')",
    "random.randint(key, (5,), 0, 100)",
    "random.bernoulli(key, 0.3, (6,))",
    "random.bernoulli(key, shape=(6,))",
    "random.categorical(key, pt.asarray([0.1, 0.5, 0.2]), shape=(6,))",
    "random.truncated_normal(key, -1.0, 1.0, (3,))",
    "random.gumbel(key, (3,))",
    "random.permutation(key, 8)",
    # Two rounds of sorting.
    "random.permutation(key, 3000)[:5]",
    "random.permutation(key, pt.arange(6).reshape(2, 3), axis=1)",
    "random.choice(key, 10, (4,))",
    "random.choice(key, 5)",
    "random.choice(key, pt.asarray([1.5, 2.5, 3.5]), (2, 3))",
    "random.choice(key, 10, (4,), replace=False)",
    "random.choice(key, 4, (6,), p=pt.asarray([0.1, 0.2, 0.3, 0.4]))",
    "random.choice(key, 4, (3,), replace=False, p=pt.asarray([0.1, 0.2, 0.3, 0.4]))",
    "random.exponential(key, (3,))",
    "random.laplace(key, (3,))",
    "random.logistic(key, (3,))",
    "random.cauchy(key, (3,))",
    "random.rademacher(key, (6,))",
    # The tails, where an error in the last place of a uniform number is large.
    "abs(random.normal(key, (20000,))).max()",
    "abs(random.laplace(key, (20000,))).max()",
    "random.logistic(key, (20000,)).max()",
    "random.logistic(key, (20000,)).min()",
    "random.gumbel(key, (20000,)).max()",
    "random.exponential(key, (20000,)).max()",
    # The middle, where numbers are small.
    "abs(random.normal(key, (20000,))).min() * 1000",
    "abs(random.cauchy(key, (20000,))).min() * 1000",
]


def main() -> None:
    names = {"random": jax.random, "key": jax.random.PRNGKey(7), "pt": pt}
    calls = {}
    for call in CALLS:
        values = np.asarray(eval(call, names))
        calls[call] = {"dtype": values.dtype.name, "values": values.tolist()}
    path = Path(__file__).with_name("jax_key_numbers.json")
    path.write_text(json.dumps({"jax": jax.__version__, "calls": calls}) + "\n")


if __name__ == "__main__":
    main()
