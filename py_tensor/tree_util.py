"""Trees of containers under the names of `jax.tree_util`.

>>> import py_tensor as pt
>>> pt.tree_util.tree_leaves({"a": 1, "b": [2, 3]})
[1, 2, 3]
"""

from .ir.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from .transforms.trees import tree_map_with_path, tree_reduce

__all__ = [
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_map_with_path",
    "tree_reduce",
    "tree_unflatten",
]
