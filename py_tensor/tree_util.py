"""Trees of containers under the names of `jax.tree_util`.

>>> import py_tensor as pt
>>> pt.tree_util.tree_leaves({"a": 1, "b": [2, 3]})
[1, 2, 3]
"""

from functools import partial as _partial

from .ir.pytree import (
    PathStep as DictKey,
    Structure as PyTreeDef,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_unflatten,
)
from .transforms.trees import (
    Partial,
    keystr,
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
    tree_all,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
    tree_reduce,
    tree_structure,
    tree_transpose,
)

SequenceKey = FlattenedIndexKey = DictKey
GetAttrKey = _partial(DictKey, is_field=True)

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "Partial",
    "PyTreeDef",
    "SequenceKey",
    "keystr",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "tree_all",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_reduce",
    "tree_structure",
    "tree_transpose",
    "tree_unflatten",
]
