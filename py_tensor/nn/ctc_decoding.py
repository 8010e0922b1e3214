"""Texts in the outputs of networks that are trained with `ctc_loss`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import functions as F
from ..dtypes import wrong_type
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import converted, flag, integer, items
from ..functions.decorators import named
from ..tensor import Tensor
from ..typing import ArrayLike
from .softmax import log_softmax


def _checked(
    operation: str, scores: ArrayLike, blank: int, labels: Sequence[str] | None
) -> tuple[Tensor, int, tuple[str, ...] | None]:
    """Return scores of shape (batch, steps, classes), the blank's position, and the labels."""
    tensor = converted(operation, scores)
    if tensor.ndim not in (2, 3) or not tensor.shape[-1]:
        raise ShapeError(
            f"{operation}: scores have a wrong shape; got {tensor.shape}; use (steps, classes) or "
            "(batch, steps, classes)"
        )
    classes = tensor.shape[-1]
    at = integer(operation, "blank", blank, -classes, classes - 1) % classes
    names = None
    if labels is not None:
        names = tuple(labels) if isinstance(labels, str) else items(operation, "labels", labels)
    if names is not None and not all(isinstance(name, str) for name in names):
        raise wrong_type(operation, "labels", "texts", labels, "one str for each class")
    if names is not None and len(names) != classes:
        raise ArgumentError(
            f"{operation}: labels do not fit; got {len(names)} for {classes} classes; pass one for "
            "each class, also for the blank"
        )
    return tensor.reshape((-1, *tensor.shape[-2:])), at, names


def _text(prefix: Sequence[int], names: tuple[str, ...] | None) -> Any:
    return list(prefix) if names is None else "".join(names[label] for label in prefix)


@named
def ctc_greedy_decode(
    scores: ArrayLike,
    /,
    *,
    blank: int = 0,
    labels: Sequence[str] | None = None,
    logits: bool = True,
) -> Any:
    """Return the classes with the best score of each step, without repetitions and blanks.

    One class and one number are read for each step.

    Args:
        scores: Scores of shape (steps, classes), or (batch, steps, classes).
        blank: Class between others; 0 by default, -1 for the last one.
        labels: Text of each class; None (default) to return classes.
        logits: The scores are logits (default), or else probabilities.

    Returns:
        (text, confidence), or a list of such pairs for a batch. The text is a list of classes if
        there are no labels; the confidence is the mean probability of the classes, 0.0 if there are
        none.

    Raises:
        ArgumentError: If the blank is out of range, or labels do not fit.
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> scores = [[0.1, 0.9, 0.0], [0.2, 0.8, 0.0], [0.9, 0.1, 0.0], [0.0, 0.25, 0.75]]
    >>> text, confidence = pt.nn.ctc_greedy_decode(scores, labels="-ab", logits=False)
    >>> text, round(confidence, 3)
    ('ab', 0.825)
    """
    operation = "ctc_greedy_decode"
    checked, empty, names = _checked(operation, scores, blank, labels)
    values = F.exp(log_softmax(checked)) if flag(operation, "logits", logits) else checked
    pairs = F.stack(
        [F.astype(F.argmax(checked, axis=-1), "float32"), F.max(values, axis=-1)], axis=-1
    )
    texts = []
    for row in pairs.tolist():
        kept = [
            (int(label), part)
            for at, (label, part) in enumerate(row)
            if label != empty and (not at or label != row[at - 1][0])
        ]
        confidence = sum(part for _, part in kept) / len(kept) if kept else 0.0
        texts.append((_text([label for label, _ in kept], names), confidence))
    return texts if converted(operation, scores).ndim == 3 else texts[0]


@named
def ctc_beam_search(
    scores: ArrayLike,
    /,
    *,
    beam_width: int = 10,
    results: int = 1,
    blank: int = 0,
    labels: Sequence[str] | None = None,
    logits: bool = True,
) -> Any:
    """Return the most probable texts, found by prefix beam search on the host.

    Texts of different alignments are added up. Source: Hannun et al. 2014, arXiv:1408.2873.

    Args:
        scores: Scores of shape (steps, classes), or (batch, steps, classes).
        beam_width: Number of prefixes that are kept after each step; 10 by default.
        results: Number of texts to return, at most; 1 by default.
        blank: Class between others; 0 by default, -1 for the last one.
        labels: Text of each class; None (default) to return classes.
        logits: The scores are logits (default), or else probabilities.

    Returns:
        List of (text, logarithm of its probability), best first, or a list of such lists for a
        batch. Texts are lists of classes if there are no labels.

    Raises:
        ArgumentError: If a number is out of range, or labels do not fit.
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> scores = [[0.6, 0.4], [0.6, 0.4]]
    >>> [(text, probability)] = pt.nn.ctc_beam_search(scores, labels="-a", logits=False)
    >>> text, round(probability, 3)
    ('a', -0.446)
    """
    operation = "ctc_beam_search"
    checked, empty, names = _checked(operation, scores, blank, labels)
    width = integer(operation, "beam_width", beam_width, 1)
    count = integer(operation, "results", results, 1)
    values = log_softmax(checked) if flag(operation, "logits", logits) else F.log(checked)
    texts = []
    for steps in values.tolist():
        best = _search(steps, empty, width)[:count]
        texts.append([(_text(prefix, names), score) for prefix, score in best])
    return texts if converted(operation, scores).ndim == 3 else texts[0]


def _added(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    low, high = sorted((a, b))
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def _search(
    steps: Sequence[Sequence[float]], blank: int, width: int
) -> list[tuple[tuple[int, ...], float]]:
    """Return prefixes and their log probabilities, best first."""
    # Log probabilities of the alignments of each prefix: those that end with a blank, and others.
    beam: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -math.inf)}
    for step in steps:
        following: dict[tuple[int, ...], list[float]] = {}
        likely = sorted(range(len(step)), key=lambda at: -step[at])[: width + 1]
        classes = {*likely, blank}
        for prefix, (empty, full) in beam.items():
            both = _added(empty, full)
            kept = following.setdefault(prefix, [-math.inf, -math.inf])
            kept[0] = _added(kept[0], both + step[blank])
            if prefix:
                kept[1] = _added(kept[1], full + step[prefix[-1]])
            for label in classes - {blank}:
                # A class twice in a row is two classes only after a blank.
                before = empty if prefix and label == prefix[-1] else both
                longer = following.setdefault((*prefix, label), [-math.inf, -math.inf])
                longer[1] = _added(longer[1], before + step[label])
        best = sorted(following.items(), key=lambda item: -_added(*item[1]))[:width]
        beam = {prefix: (pair[0], pair[1]) for prefix, pair in best}
    return [(prefix, _added(*pair)) for prefix, pair in beam.items()]
