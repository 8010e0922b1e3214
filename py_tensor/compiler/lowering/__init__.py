"""Lowering: rewrite operations that one kernel cannot compute, or computes slowly, into others.

Input: an `OpGraph`. Output: a `LoweredGraph`, made by `lower.lower`.
Reading order: `lower` (the pass over the graph), `reductions`, `narrow_convolutions`,
`contractions`, `scans`, `gathers`, `complex_pairs`, `formulas` (operators on nodes, for the modules
that follow), `sorts`, `scatters`.
"""
