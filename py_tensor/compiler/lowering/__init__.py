"""Lowering: rewrite operations that kernels of a target cannot compute into others.

Input: an `OpGraph` and a `Target`. Output: a `LoweredGraph`, made by `lower.lower`.
Reading order: `complex_pairs`, `lower` (the pass over the graph, with the rewrites that all targets
have), `formulas` (operators on nodes, for the modules that follow), `gathers`, `sorts`, `scatters`,
`pads` (rewrites that targets may choose).
"""
