"""`einsum`: products of tensors with labelled axes, computed as matrix products of two operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from string import ascii_letters
from typing import Any, NamedTuple

from ..dtypes import wrong_type
from ..errors import ArgumentError, ShapeError
from ..ops.views import DIAGONAL
from ..tensor import Tensor, apply, as_tensor
from ..typing import ArrayLike
from . import statistical
from .decorators import named
from .linear_algebra import matmul
from .manipulation import permute_dims, reshape


class Term(NamedTuple):
    """A tensor with a distinct label for each axis."""

    labels: str
    tensor: Tensor

    def lengths(self) -> dict[str, int]:
        return dict(zip(self.labels, self.tensor.shape, strict=True))


@named
def einsum(
    subscripts: str,
    /,
    *operands: ArrayLike,
    out: Tensor | None = None,
    optimize: bool | str | Sequence[Any] = True,
) -> Tensor:
    """Sum of products over labelled axes, by Einstein's summation convention.

    `subscripts` has a letter for each axis of each operand. Operands are separated by commas, and
    the axes of the result follow "->"; axes missing there are summed over. Without "->", the result
    has the letters that occur once, in alphabetical order. "..." is for axes that broadcast. A
    letter that occurs twice in one operand selects its diagonal. More than two operands are
    multiplied in pairs, the cheapest pair first.

    Args:
        subscripts: Labels of the operands and the result, for example "ij,jk->ik".
        operands: Tensors or array-likes, one for each group of labels.
        out: Tensor to write the result to; None (default) for a new one.
        optimize: Ignored; the order is always optimized.

    Returns:
        Tensor with the axes of the result, in the promoted dtype.

    Raises:
        ArgumentError: If the subscripts cannot be parsed or do not fit the number of operands.
        ShapeError: If axes with one label differ in length, or the number of axes is wrong.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> pt.einsum("ij,kj->ik", x, x).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """
    tensors = [as_tensor("einsum", x) for x in operands]
    groups, result = _parsed(subscripts, tensors)
    lengths = _lengths(subscripts, groups, tensors)
    terms = [
        _without_repeats(Term(labels, tensor))
        for labels, tensor in zip(groups, tensors, strict=True)
    ]
    while len(terms) > 1:
        first, second = _cheapest(terms, result, lengths)
        rest = [term for at, term in enumerate(terms) if at not in (first, second)]
        kept = set(result).union(*(term.labels for term in rest))
        terms = [*rest, _product(terms[first], terms[second], kept, lengths)]
    return _arranged(terms[0], result)


@named
def contraction_path(subscripts: str, /, *operands: ArrayLike) -> list[tuple[int, int]]:
    """Return the order in which `einsum` multiplies its operands.

    Args:
        subscripts: Labels of the operands and the result, as for `einsum`.
        operands: Tensors or array-likes, one for each group of labels.

    Returns:
        List of pairs of positions. Both operands are removed from the list of operands, and their
        product is appended to it.

    Raises:
        ArgumentError: If the subscripts cannot be parsed or do not fit the number of operands.
        ShapeError: If axes with one label differ in length, or the number of axes is wrong.

    >>> import py_tensor as pt
    >>> pt.contraction_path("ij,jk,k->i", pt.ones((9, 9)), pt.ones((9, 9)), pt.ones(9))
    [(1, 2), (0, 1)]
    """
    tensors = [as_tensor("contraction_path", x) for x in operands]
    groups, result = _parsed(subscripts, tensors)
    lengths = _lengths(subscripts, groups, tensors)
    labels = ["".join(dict.fromkeys(one)) for one in groups]
    path = []
    while len(labels) > 1:
        first, second = _cheapest_labels(labels, result, lengths)
        path.append((first, second))
        rest = [one for at, one in enumerate(labels) if at not in (first, second)]
        kept = set(result).union(*rest)
        both = dict.fromkeys(labels[first] + labels[second])
        labels = [*rest, "".join(label for label in both if label in kept)]
    return path


def _parsed(subscripts: str, tensors: Sequence[Tensor]) -> tuple[list[str], str]:
    """Return the labels of each operand and of the result; broadcast axes get unused letters."""
    if not isinstance(subscripts, str):
        raise wrong_type("einsum", "subscripts", "text", subscripts, 'labels such as "ij,jk->ik"')
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    groups = left.split(",")
    if len(groups) != len(tensors):
        raise ArgumentError(
            f"einsum: wrong number of operands; got {len(tensors)} for {subscripts!r}; pass "
            f"{len(groups)}"
        )
    spare = [letter for letter in ascii_letters if letter not in subscripts]
    widest = 0
    named = []
    for labels, tensor in zip(groups, tensors, strict=True):
        count = tensor.ndim - len(labels.replace("...", ""))
        if count < 0 or (count and "..." not in labels):
            raise ShapeError(
                f"einsum: wrong number of axes; got {labels!r} for shape {tensor.shape}; use one "
                "letter per axis"
            )
        widest = max(widest, count)
        named.append(labels.replace("...", "".join(spare[:count][::-1])))
    broadcast = "".join(spare[:widest][::-1])
    if arrow:
        result = right.replace("...", broadcast)
    else:
        every = "".join(named)
        once = [label for label in sorted(set(every) - set(broadcast)) if every.count(label) == 1]
        result = broadcast + "".join(once)
    wrong = [c for c in (*"".join(named), *result) if c not in ascii_letters]
    missing = [label for label in result if label not in "".join(named)]
    if wrong or missing or len(set(result)) < len(result):
        raise ArgumentError(
            f"einsum: subscripts are invalid; got {subscripts!r}; use letters; each letter of the "
            "result must occur once in it and in an operand"
        )
    return named, result


def _lengths(subscripts: str, groups: Sequence[str], tensors: Sequence[Tensor]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for labels, tensor in zip(groups, tensors, strict=True):
        for label, n in zip(labels, tensor.shape, strict=True):
            known = lengths.setdefault(label, n)
            if known == 1:
                lengths[label] = n
            elif n not in (1, known):
                raise ShapeError(
                    f"einsum: lengths of one label must be equal; got {known} and {n} for "
                    f"{label!r} in {subscripts!r}; make them equal"
                )
    return lengths


def _without_repeats(term: Term) -> Term:
    labels, tensor = term
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, second = labels.index(label), labels.rindex(label)
            tensor = apply(DIAGONAL, (tensor,), (first, second))
            rest = [c for at, c in enumerate(labels) if at not in (first, second)]
            labels = "".join(rest) + label
    return Term(labels, tensor)


def _cheapest(terms: Sequence[Term], result: str, lengths: dict[str, int]) -> tuple[int, int]:
    return _cheapest_labels([term.labels for term in terms], result, lengths)


def _cheapest_labels(
    labels: Sequence[str], result: str, lengths: dict[str, int]
) -> tuple[int, int]:
    """Choose the pair with the fewest multiplications; of equal ones, the smallest result."""

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        both = set(labels[pair[0]]) | set(labels[pair[1]])
        rest = (one for at, one in enumerate(labels) if at not in pair)
        kept = both & set(result).union(*rest)
        return math.prod(lengths[c] for c in both), math.prod(lengths[c] for c in kept)

    return min(combinations(range(len(labels)), 2), key=cost)


def _summed(term: Term, kept: set[str]) -> Term:
    """Sum over the axes that no other term has."""
    axes = tuple(at for at, label in enumerate(term.labels) if label not in kept)
    if not axes:
        return term
    labels = "".join(label for label in term.labels if label in kept)
    return Term(labels, statistical.sum(term.tensor, axis=axes, dtype=term.tensor.dtype))


def _product(a: Term, b: Term, kept: set[str], lengths: dict[str, int]) -> Term:
    """Return the product of two terms, summed over labels that are not kept."""
    a, b = _summed(a, kept | set(b.labels)), _summed(b, kept | set(a.labels))
    of_a, of_b = a.lengths(), b.lengths()
    # A matrix product cannot broadcast an axis of length 1 to a longer one.
    equal = [label for label in a.labels if label in b.labels and of_a[label] == of_b[label]]
    inner = [label for label in equal if label not in kept]
    shared = [label for label in a.labels if label in b.labels]
    if not inner or len(equal) < len(shared):
        return _summed(_spread_product(a, b), kept)
    batch = [label for label in equal if label in kept]
    rows = [label for label in a.labels if label not in equal]
    columns = [label for label in b.labels if label not in equal]
    sizes = [math.prod(lengths[c] for c in part) for part in (batch, rows, inner, columns)]
    left = reshape(_arranged(a, [*batch, *rows, *inner]), (sizes[0], sizes[1], sizes[2]))
    right = reshape(_arranged(b, [*batch, *inner, *columns]), (sizes[0], sizes[2], sizes[3]))
    labels = "".join((*batch, *rows, *columns))
    lengths_of = {**of_a, **of_b}
    return Term(labels, reshape(matmul(left, right), tuple(lengths_of[c] for c in labels)))


def _spread_product(a: Term, b: Term) -> Term:
    """Multiply element by element, with each operand broadcast along the axes of the other."""
    labels = a.labels + "".join(label for label in b.labels if label not in a.labels)
    of_b = b.lengths()
    order = [label for label in labels if label in of_b]
    left = reshape(a.tensor, (*a.tensor.shape, *(1,) * (len(labels) - len(a.labels))))
    right = reshape(_arranged(b, order), tuple(of_b.get(label, 1) for label in labels))
    return Term(labels, left * right)


def _arranged(term: Term, labels: Sequence[str]) -> Tensor:
    """Return the tensor with its axes in the order of the labels, summed over the others."""
    labels_left, tensor = _summed(term, set(labels))
    order = tuple(labels_left.index(label) for label in labels)
    return tensor if order == tuple(range(tensor.ndim)) else permute_dims(tensor, order)
