"""Define `ravel_pytree`, `tree_reduce`, `tree_map_with_path` and the functions of `pt.tree_util`.

Input: trees of containers. Output: one vector, one value, or a tree with the same containers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import partial, reduce
from itertools import accumulate, pairwise
from typing import Any

from ..dtypes import wrong_type
from ..errors import ArgumentTypeError, ShapeError
from ..functions.arguments import function_of
from ..functions.creation import zeros
from ..functions.elementwise import astype
from ..functions.joining import concat
from ..functions.manipulation import reshape
from ..ir.pytree import (
    IsLeaf,
    PathStep,
    Registration,
    Structure,
    leaves_at,
    leaves_with_paths,
    registered,
    tree_flatten,
    tree_unflatten,
    typed,
)
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

__all__ = ["ravel_pytree", "tree_map_with_path", "tree_reduce"]

_NONE: Any = object()


def ravel_pytree(pytree: object) -> tuple[Tensor, Callable[[Any], Any]]:
    """Join all leaves of a tree into one vector.

    Args:
        pytree: Tree of tensors and numbers.

    Returns:
        (flat, unravel): the vector, of the leaves' promoted dtype, and a function that makes such a
        tree of such a vector.

    Raises:
        DTypeError: If the leaves' dtypes have no common one.
        ShapeError: When `unravel` is called, if the vector has another shape.

    >>> import py_tensor as pt
    >>> flat, unravel = pt.ravel_pytree({"w": pt.ones((2, 2)), "b": 3.0})
    >>> flat.tolist()
    [1.0, 1.0, 1.0, 1.0, 3.0]
    >>> unravel(flat * 2.0)["b"].item()
    6.0
    """
    leaves, structure = tree_flatten(pytree)
    tensors = [as_tensor("ravel_pytree", leaf) for leaf in leaves]
    specs = [(tensor.shape, tensor.dtype) for tensor in tensors]
    ends = list(accumulate((tensor.size for tensor in tensors), initial=0))
    flat = concat([reshape(tensor, (-1,)) for tensor in tensors]) if tensors else zeros(0)

    def unravel(vector: ArrayLike) -> Any:
        vector = as_tensor("ravel_pytree", vector)
        if vector.shape != (ends[-1],):
            raise ShapeError(
                f"ravel_pytree: vector does not fit; got shape {vector.shape}; "
                f"give shape ({ends[-1]},)"
            )
        parts = [
            astype(reshape(vector[start:end], shape), dtype, copy=False)
            for (shape, dtype), (start, end) in zip(specs, pairwise(ends), strict=True)
        ]
        return tree_unflatten(structure, parts)

    return flat, unravel


def tree_reduce(
    function: Callable[[Any, Any], Any],
    tree: object,
    initializer: Any = _NONE,
    is_leaf: IsLeaf | None = None,
) -> Any:
    """Combine the leaves of a tree from left to right.

    Args:
        function: Function of the value so far and the next leaf.
        tree: Tree of containers.
        initializer: First value; without it the first leaf is.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    Returns:
        Last value.

    Raises:
        TypeError: If there is no leaf and no `initializer`.

    >>> import py_tensor as pt
    >>> pt.tree_reduce(lambda total, leaf: total + leaf, {"a": 1, "b": [2, 3]})
    6
    """
    function_of("tree_reduce", "function", function)
    if is_leaf is not None:
        function_of("tree_reduce", "is_leaf", is_leaf)
    leaves = tree_flatten(tree, is_leaf)[0]
    if not leaves and initializer is _NONE:
        raise ArgumentTypeError(
            "tree_reduce: there is no first value; got a tree without leaves; pass initializer="
        )
    return (
        reduce(function, leaves) if initializer is _NONE else reduce(function, leaves, initializer)
    )


def tree_map_with_path(
    f: Callable[..., Any], tree: object, *rest: object, is_leaf: IsLeaf | None = None
) -> Any:
    """Apply a function to every leaf of a tree and the path that leads to it.

    Args:
        f: Called with the path of each leaf, the leaf, and the values of `rest` at the same place.
            A path is a tuple of steps; `step.key` is a key, an index or the name of a field, and
            `str(step)` is the step in Python's notation.
        tree: Tree that gives the structure of the result.
        rest: More trees with the containers of `tree`.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    Returns:
        Tree of the same structure as `tree`, with the results of `f` as leaves.

    Raises:
        ArgumentError: If one of `rest` lacks a place that `tree` has.

    >>> import py_tensor as pt
    >>> pt.tree_map_with_path(lambda path, x: "".join(map(str, path)), {"a": [1, 2]})
    {'a': ["['a'][0]", "['a'][1]"]}
    """
    function_of("tree_map_with_path", "f", f)
    if is_leaf is not None:
        function_of("tree_map_with_path", "is_leaf", is_leaf)
    structure = tree_flatten(tree, is_leaf)[1]
    columns = [leaves_at("tree_map_with_path", structure, other) for other in rest]
    pairs = leaves_with_paths(tree, is_leaf)
    leaves = [f(path, leaf, *more) for (path, leaf), *more in zip(pairs, *columns, strict=True)]
    return tree_unflatten(structure, leaves)


def tree_structure(tree: object, is_leaf: IsLeaf | None = None) -> Structure:
    """Return the structure of a tree.

    Args:
        tree: Tree of containers.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    >>> import py_tensor as pt
    >>> pt.tree.structure({"a": 1, "b": (2, None)})
    Structure({'a': *, 'b': (*, None)})
    """
    return tree_flatten(tree, is_leaf)[1]


def tree_leaves_with_path(tree: object, is_leaf: IsLeaf | None = None) -> list[tuple[Any, Any]]:
    """Return (path, leaf) for each leaf of a tree, see `tree_map_with_path`.

    Args:
        tree: Tree of containers.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    >>> import py_tensor as pt
    >>> [(pt.tree_util.keystr(path), leaf) for path, leaf in pt.tree.leaves_with_path({"a": [5]})]
    [("['a'][0]", 5)]
    """
    return list(leaves_with_paths(tree, is_leaf))


def tree_flatten_with_path(
    tree: object, is_leaf: IsLeaf | None = None
) -> tuple[list[tuple[Any, Any]], Structure]:
    """Return the (path, leaf) pairs of a tree and its structure.

    Args:
        tree: Tree of containers.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    >>> import py_tensor as pt
    >>> pairs, structure = pt.tree.flatten_with_path({"a": [5]})
    >>> pairs[0][0][0].key, structure
    ('a', Structure({'a': [*]}))
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_all(tree: object, *, is_leaf: IsLeaf | None = None) -> bool:
    """Return True if all leaves of a tree are true.

    Args:
        tree: Tree of containers.
        is_leaf: Function that returns True for containers to treat as leaves; None (default) for
            none.

    >>> import py_tensor as pt
    >>> pt.tree.all({"a": True, "b": [1, 0]})
    False
    """
    return all(tree_flatten(tree, is_leaf)[0])


def tree_transpose(
    outer_treedef: Structure, inner_treedef: Structure | None, pytree_to_transpose: object
) -> Any:
    """Turn a tree of trees inside out.

    Args:
        outer_treedef: Structure of the outer tree.
        inner_treedef: Structure of each inner tree; None for that of the first one.
        pytree_to_transpose: Tree with the structure `outer_treedef`, of trees with the structure
            `inner_treedef`.

    Returns:
        Tree with the structure `inner_treedef`, of trees with the structure `outer_treedef`.

    Raises:
        ArgumentError: If the structures do not fit.

    >>> import py_tensor as pt
    >>> rows = [{"x": 1, "y": 2}, {"x": 3, "y": 4}]
    >>> pt.tree.transpose(pt.tree.structure([0, 0]), pt.tree.structure(rows[0]), rows)
    {'x': [1, 3], 'y': [2, 4]}
    """
    trees = leaves_at("tree_transpose", outer_treedef, pytree_to_transpose)
    inner = tree_structure(trees[0]) if inner_treedef is None else inner_treedef
    rows = [leaves_at("tree_transpose", inner, tree) for tree in trees]
    return inner.unflatten(outer_treedef.unflatten(column) for column in zip(*rows, strict=True))


def keystr(keys: Sequence[Any], *, simple: bool = False, separator: str = "") -> str:
    """Return a path as text.

    Args:
        keys: Path of `tree_map_with_path` and others.
        simple: If True, only the keys are shown; False by default.
        separator: Text between two keys; empty by default.

    >>> import py_tensor as pt
    >>> path = pt.tree.leaves_with_path({"a": [5]})[0][0]
    >>> pt.tree_util.keystr(path), pt.tree_util.keystr(path, simple=True, separator=".")
    ("['a'][0]", 'a.0')
    """
    return separator.join(str(step.key if simple else step) for step in keys)


def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_func: Callable[[Any, Iterable[Any]], Any],
    flatten_with_keys_func: Callable[[Any], tuple[Iterable[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Make the instances of a class containers of trees.

    Dataclasses are containers without this.

    Args:
        nodetype: Class.
        flatten_func: Function of an instance that returns (children, static data). The data are
            compared.
        unflatten_func: Function of static data and children that returns an instance.
        flatten_with_keys_func: Function that returns ((key, child) pairs, static data); None
            (default) to number the children.

    Raises:
        ArgumentTypeError: If an argument has another type.

    >>> import py_tensor as pt
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> pt.tree_util.register_pytree_node(
    ...     Pair, lambda pair: ((pair.a, pair.b), None), lambda _, children: Pair(*children)
    ... )
    >>> pt.tree.leaves([Pair(1, 2), 3])
    [1, 2, 3]
    """
    if not isinstance(nodetype, type):
        raise wrong_type("register_pytree_node", "nodetype", "a class", nodetype)
    with_keys = flatten_with_keys_func
    registered[nodetype] = Registration(
        function_of("register_pytree_node", "flatten_func", flatten_func),
        function_of("register_pytree_node", "unflatten_func", unflatten_func),
        None if with_keys is None else lambda tree: [key for key, _ in with_keys(tree)[0]],
    )


def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: Callable[[Any], tuple[Iterable[tuple[Any, Any]], Any]],
    unflatten_func: Callable[[Any, Iterable[Any]], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]] | None = None,
) -> None:
    """Make the instances of a class containers whose children have keys.

    Args:
        nodetype: Class.
        flatten_with_keys: Function of an instance that returns ((key, child) pairs, static data).
        unflatten_func: Function of static data and children that returns an instance.
        flatten_func: Function that returns (children, static data); None (default) to use
            `flatten_with_keys`.

    >>> import py_tensor as pt
    >>> class Box:
    ...     def __init__(self, a):
    ...         self.a = a
    >>> pt.tree_util.register_pytree_with_keys(
    ...     Box,
    ...     lambda box: (((pt.tree_util.GetAttrKey("a"), box.a),), None),
    ...     lambda _, children: Box(*children),
    ... )
    >>> pt.tree_util.keystr(pt.tree.leaves_with_path([Box(1)])[0][0])
    '[0].a'
    """

    def flatten(tree: object) -> tuple[Iterable[Any], Any]:
        pairs, fixed = flatten_with_keys(tree)
        return [child for _, child in pairs], fixed

    register_pytree_node(nodetype, flatten_func or flatten, unflatten_func, flatten_with_keys)


def register_pytree_node_class[Class: type](cls: Class) -> Class:
    """Register a class with the methods `tree_flatten` and `tree_unflatten`; a decorator.

    Args:
        cls: Class whose `tree_flatten()` returns (children, static data), and whose class method
            `tree_unflatten(data, children)` returns an instance.

    >>> import py_tensor as pt
    >>> @pt.tree_util.register_pytree_node_class
    ... class Box:
    ...     def __init__(self, a):
    ...         self.a = a
    ...     def tree_flatten(self):
    ...         return (self.a,), None
    ...     @classmethod
    ...     def tree_unflatten(cls, data, children):
    ...         return cls(*children)
    >>> pt.tree.map(lambda leaf: leaf + 1, Box(1)).a
    2
    """
    kind: Any = cls
    register_pytree_node(cls, kind.tree_flatten, kind.tree_unflatten)
    return cls


def register_pytree_with_keys_class[Class: type](cls: Class) -> Class:
    """Register a class with the methods `tree_flatten_with_keys` and `tree_unflatten`; a decorator.

    Args:
        cls: Class, see `register_pytree_with_keys`.

    >>> import py_tensor as pt
    >>> @pt.tree_util.register_pytree_with_keys_class
    ... class Box:
    ...     def __init__(self, a):
    ...         self.a = a
    ...     def tree_flatten_with_keys(self):
    ...         return ((pt.tree_util.GetAttrKey("a"), self.a),), None
    ...     @classmethod
    ...     def tree_unflatten(cls, data, children):
    ...         return cls(*children)
    >>> pt.tree.leaves(Box(1))
    [1]
    """
    kind: Any = cls
    flatten = getattr(kind, "tree_flatten", None)
    register_pytree_with_keys(cls, kind.tree_flatten_with_keys, kind.tree_unflatten, flatten)
    return cls


def register_dataclass(
    nodetype: Any,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> Any:
    """Choose the fields of a class that are children, and those that are static.

    Args:
        nodetype: Class, usually a dataclass.
        data_fields: Names of the fields that are children. None (default) for all fields of a
            dataclass without `metadata={"static": True}`.
        meta_fields: Names of the static fields; likewise.
        drop_fields: Names of fields that trees leave out; empty by default.

    Returns:
        The class, so that it can be used as a decorator.

    >>> import py_tensor as pt
    >>> class Layer:
    ...     pass
    >>> _ = pt.tree_util.register_dataclass(Layer, ["weight"], ["name"])
    >>> layer = Layer()
    >>> layer.weight, layer.name = 2.0, "first"
    >>> pt.tree.leaves(layer)
    [2.0]
    """
    if data_fields is None or meta_fields is None:
        own = [field for field in fields(nodetype) if field.name not in drop_fields]
        meta_fields = [field.name for field in own if field.metadata.get("static")]
        data_fields = [field.name for field in own if field.name not in meta_fields]
    children, static = tuple(data_fields), tuple(meta_fields)

    def flatten(tree: object) -> tuple[list[Any], Any]:
        values = [getattr(tree, name) for name in children]
        return values, tuple([typed(getattr(tree, name)) for name in static])

    def unflatten(data: Any, values: Iterable[Any]) -> Any:
        result = object.__new__(nodetype)
        for name, value in zip((*children, *static), (*values, *(v for _, v in data)), strict=True):
            object.__setattr__(result, name, value)
        return result

    keys = [PathStep(name, True) for name in children]
    registered[nodetype] = Registration(flatten, unflatten, lambda _: keys)
    return nodetype


def register_static[Class: type](cls: Class) -> Class:
    """Make the instances of a class containers without children, which are static; a decorator.

    Args:
        cls: Class whose instances can be compared and hashed.

    >>> import py_tensor as pt
    >>> @pt.tree_util.register_static
    ... class Name(str):
    ...     pass
    >>> pt.tree.leaves([Name("a"), 1])
    [1]
    """
    register_pytree_node(cls, lambda tree: ((), tree), lambda data, _: data)
    return cls


class Partial(partial[Any]):
    """`functools.partial` as a container: its arguments are children, and the function is static.

    >>> import py_tensor as pt
    >>> pt.tree.leaves(pt.tree_util.Partial(max, 1, 2))
    [1, 2]
    """


def _partial_of(function: Any, children: Iterable[Any]) -> Partial:
    args, keywords = children
    return Partial(function, *args, **keywords)


register_pytree_node(
    Partial,
    lambda part: ((part.args, part.keywords), part.func),
    _partial_of,
)
