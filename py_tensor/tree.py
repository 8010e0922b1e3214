"""Trees of containers under the names of `jax.tree`.

>>> import py_tensor as pt
>>> pt.tree.map(lambda x, y: x + y, {"a": 1, "b": [2, 3]}, {"a": 10, "b": [20, 30]})
{'a': 11, 'b': [22, 33]}
"""

from .ir.pytree import (
    tree_flatten as flatten,
    tree_leaves as leaves,
    tree_map as map,
    tree_unflatten as unflatten,
)
from .transforms.trees import (
    tree_all as all,
    tree_flatten_with_path as flatten_with_path,
    tree_leaves_with_path as leaves_with_path,
    tree_map_with_path as map_with_path,
    tree_reduce as reduce,
    tree_structure as structure,
    tree_transpose as transpose,
)

__all__ = [
    "all",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "structure",
    "transpose",
    "unflatten",
]
