"""What the rows of the log add up to: the loss and the metrics of all batches so far.

Comes in: rows as numbers; goes out: values by name. Sums are taken on the host, in double
precision, in the batches' order, so that they do not depend on when rows were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from .metrics import Metric
from .trainer import Logs


class Meter:
    """Totals over batches; see `steps` for what a row has."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = metrics
        self.batches = 0
        self.weight = 0.0
        self.loss = 0.0
        self.totals: list[float] = []

    def add(self, row: list[float]) -> None:
        """Counts a batch."""
        loss, weight, *sums = row
        self.batches += 1
        self.weight += weight
        self.loss += loss * weight
        before = self.totals or [0.0] * len(sums)
        self.totals = [a + b for a, b in zip(before, sums, strict=True)]

    def logs(self) -> Logs:
        """The mean loss of a sample, and the metrics."""
        found: Logs = {"loss": self.loss / self.weight if self.weight else 0.0}
        at = 0
        for metric in self.metrics:
            values: list[Any] = []
            for shape in metric.shapes:
                part = self.totals[at : at + prod(shape)]
                values.append(part if shape else part[0])
                at += prod(shape)
            found[metric.name] = metric.value(self.weight, *values)
        return found
