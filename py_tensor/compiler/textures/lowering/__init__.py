"""Rewrites of operations that one fragment shader cannot compute, or computes slowly.

Input: an operation and the nodes of its operands. Output: the node that computes it.
Reading order: `reductions`, `narrow_convolutions`, `contractions`, `scans`. Rewrites that other
targets may need, too, are in `compiler/lowering`.
"""
