"""Small libraries of JAX's examples, under the names of `jax.example_libraries`.

For programs of your own use `pt.nn` and `pt.optim`.
"""

from . import optimizers as optimizers, stax as stax

__all__ = ["optimizers", "stax"]
