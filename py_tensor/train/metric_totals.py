"""Add up the rows of the log: the loss and the metrics over all batches so far.

Input: rows as Python numbers. Output: values by name. The sums are taken on the host, in double
precision and in the order of the batches, so they do not depend on when rows are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import prod

from .metrics import Metric
from .trainer import Logs

Row = list[float]
"""Row of the log; see `steps` for its layout."""


class MetricTotals:
    """Totals of the loss and the metrics over batches."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = metrics
        self.batches = 0
        self.weight = 0.0
        self.loss = 0.0
        self.totals: list[float] = []

    def add(self, row: Row) -> None:
        """Add the row of a batch."""
        loss, weight, *sums = row
        self.batches += 1
        self.weight += weight
        self.loss += loss * weight
        before = self.totals or [0.0] * len(sums)
        self.totals = [a + b for a, b in zip(before, sums, strict=True)]

    def logs(self) -> Logs:
        """Return the mean loss per sample and the metrics."""
        logs: Logs = {"loss": self.loss / self.weight if self.weight else 0.0}
        totals = iter(self.totals)
        for metric in self.metrics:
            values: list[float | list[float]] = []
            for shape in metric.shapes:
                elements = [*islice(totals, prod(shape))]
                values.append(elements if shape else elements[0])
            logs[metric.name] = metric.value(self.weight, *values)
        return logs
