"""`einsum`: products of tensors by labelled axes, two at a time as matrix products."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from string import ascii_letters
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..ops.views import DIAGONAL
from ..tensor import Tensor, apply, as_tensor
from .linear_algebra import matmul
from .manipulation import permute_dims, reshape
from .naming import named
from .statistical import PUBLIC as STATISTICAL


class Term(NamedTuple):
    """A tensor whose axes have labels, each once."""

    labels: str
    tensor: Tensor

    def lengths(self) -> dict[str, int]:
        return dict(zip(self.labels, self.tensor.shape, strict=True))


@named
def einsum(subscripts: str, /, *operands: Any) -> Tensor:
    """Sums of products over the axes that `subscripts` names, by Einstein's convention.

    `subscripts` has a letter for each axis of each operand, operands separated by commas, and
    behind "->" the axes of the result; axes that are not among them are summed over. Without "->"
    the result has, in alphabetical order, all letters that occur once. "..." stands for axes that
    broadcast. A letter twice in one operand is its diagonal. More than two operands are multiplied
    two at a time, first those that leave least to do. Raises ArgumentError for subscripts that
    cannot be read, ShapeError for lengths that differ.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> pt.einsum("ij,kj->ik", x, x).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """
    tensors = [as_tensor("einsum", x) for x in operands]
    given, result = _parsed(subscripts, tensors)
    lengths = _lengths(subscripts, given, tensors)
    terms = [
        _without_repeats(Term(labels, tensor))
        for labels, tensor in zip(given, tensors, strict=True)
    ]
    while len(terms) > 1:
        first, second = _cheapest(terms, result, lengths)
        others = [term for at, term in enumerate(terms) if at not in (first, second)]
        kept = set(result).union(*(term.labels for term in others))
        terms = [*others, _product(terms[first], terms[second], kept, lengths)]
    return _arranged(terms[0], result)


@named
def contraction_path(subscripts: str, /, *operands: Any) -> list[tuple[int, int]]:
    """Which operands `einsum` multiplies, in order: two positions, whose product goes to the end.

    Raises what `einsum` raises.

    >>> import py_tensor as pt
    >>> pt.contraction_path("ij,jk,k->i", pt.ones((9, 9)), pt.ones((9, 9)), pt.ones(9))
    [(1, 2), (0, 1)]
    """
    tensors = [as_tensor("contraction_path", x) for x in operands]
    given, result = _parsed(subscripts, tensors)
    lengths = _lengths(subscripts, given, tensors)
    labels = ["".join(dict.fromkeys(one)) for one in given]
    path = []
    while len(labels) > 1:
        first, second = _cheapest_labels(labels, result, lengths)
        path.append((first, second))
        others = [one for at, one in enumerate(labels) if at not in (first, second)]
        kept = set(result).union(*others)
        both = dict.fromkeys(labels[first] + labels[second])
        labels = [*others, "".join(label for label in both if label in kept)]
    return path


def _parsed(subscripts: str, tensors: Sequence[Tensor]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, broadcast axes under letters of their own."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    given = left.split(",")
    if len(given) != len(tensors):
        raise ArgumentError(
            f"einsum: number of operands does not fit; got {len(tensors)} for {subscripts!r}; "
            f"give {len(given)}"
        )
    spare = [letter for letter in ascii_letters if letter not in subscripts]
    widest = 0
    named = []
    for labels, tensor in zip(given, tensors, strict=True):
        count = tensor.ndim - len(labels.replace("...", ""))
        if count < 0 or (count and "..." not in labels):
            raise ShapeError(
                f"einsum: number of axes does not fit; got {labels!r} for shape {tensor.shape}; "
                "give a letter an axis"
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
            f"einsum: subscripts cannot be read; got {subscripts!r}; use letters, each of the "
            "result's once and in some operand"
        )
    return named, result


def _lengths(subscripts: str, given: Sequence[str], tensors: Sequence[Tensor]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for labels, tensor in zip(given, tensors, strict=True):
        for label, n in zip(labels, tensor.shape, strict=True):
            known = lengths.setdefault(label, n)
            if known == 1:
                lengths[label] = n
            elif n not in (1, known):
                raise ShapeError(
                    f"einsum: lengths differ under one label; got {known} and {n} for {label!r} in "
                    f"{subscripts!r}; make them equal"
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
    """The pair whose product takes the fewest multiplications; of those, the smallest result."""

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        both = set(labels[pair[0]]) | set(labels[pair[1]])
        others = (one for at, one in enumerate(labels) if at not in pair)
        kept = both & set(result).union(*others)
        return math.prod(lengths[c] for c in both), math.prod(lengths[c] for c in kept)

    return min(combinations(range(len(labels)), 2), key=cost)


def _summed(term: Term, kept: set[str]) -> Term:
    """Without the axes that nothing else has."""
    axes = tuple(at for at, label in enumerate(term.labels) if label not in kept)
    if not axes:
        return term
    labels = "".join(label for label in term.labels if label in kept)
    return Term(labels, STATISTICAL["sum"](term.tensor, axis=axes, dtype=term.tensor.dtype))


def _product(a: Term, b: Term, kept: set[str], lengths: dict[str, int]) -> Term:
    """The product of two, summed over what is not kept."""
    a, b = _summed(a, kept | set(b.labels)), _summed(b, kept | set(a.labels))
    of_a, of_b = a.lengths(), b.lengths()
    # An axis of length 1 beside a longer one is broadcast, which no matrix product does.
    same = [label for label in a.labels if label in b.labels and of_a[label] == of_b[label]]
    inner = [label for label in same if label not in kept]
    shared = [label for label in a.labels if label in b.labels]
    if not inner or len(same) < len(shared):
        return _summed(_spread_product(a, b), kept)
    batch = [label for label in same if label in kept]
    rows = [label for label in a.labels if label not in same]
    columns = [label for label in b.labels if label not in same]
    sizes = [math.prod(lengths[c] for c in part) for part in (batch, rows, inner, columns)]
    left = reshape(_arranged(a, [*batch, *rows, *inner]), (sizes[0], sizes[1], sizes[2]))
    right = reshape(_arranged(b, [*batch, *inner, *columns]), (sizes[0], sizes[2], sizes[3]))
    labels = "".join((*batch, *rows, *columns))
    found = {**of_a, **of_b}
    return Term(labels, reshape(matmul(left, right), tuple(found[c] for c in labels)))


def _spread_product(a: Term, b: Term) -> Term:
    """Element by element, each operand broadcast along the axes of the other alone."""
    labels = a.labels + "".join(label for label in b.labels if label not in a.labels)
    of_b = b.lengths()
    order = [label for label in labels if label in of_b]
    left = reshape(a.tensor, (*a.tensor.shape, *(1,) * (len(labels) - len(a.labels))))
    right = reshape(_arranged(b, order), tuple(of_b.get(label, 1) for label in labels))
    return Term(labels, left * right)


def _arranged(term: Term, labels: Sequence[str]) -> Tensor:
    """The tensor with its axes in the order of the labels, summed over others."""
    labels_left, tensor = _summed(term, set(labels))
    order = tuple(labels_left.index(label) for label in labels)
    return tensor if order == tuple(range(tensor.ndim)) else permute_dims(tensor, order)


PUBLIC: dict[str, Callable[..., Any]] = {"contraction_path": contraction_path, "einsum": einsum}
