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
from .transforms.trees import tree_map_with_path as map_with_path, tree_reduce as reduce

__all__ = ["flatten", "leaves", "map", "map_with_path", "reduce", "unflatten"]
