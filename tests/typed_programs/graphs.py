"""Graph and session, as in deeplearn.js."""

from __future__ import annotations

import py_tensor as pt
from py_tensor.graph import FeedEntry, Graph, Session, math

graph = Graph()
x = graph.placeholder("x", (3,))
w = graph.variable("w", [1.0, 2.0, 3.0])
y = graph.reduce_sum(graph.multiply(x, w))
session = Session(graph, math)
result = session.eval(y, [FeedEntry(x, pt.asarray([1.0, 1.0, 1.0]))])
assert float(result) == 6.0
