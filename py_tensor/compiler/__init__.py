"""Compiler: from a linearized graph to a memory plan of draws with their shaders.

Input: an `OpGraph` and the limits of the device. Output: a `Plan`, which runs with any values.
Reading order, which is the order of processing: `lowered_graph` (a graph that can be rewritten),
`taps` (taps of a convolution that are computed together), `lowering` (rewrite operations into those
that a kernel can compute), `kernel` (the result of fusion), `fusion` (choose which nodes are
materialized), `texture_layout` (choose texture widths), `codegen` (generate the shaders),
`memory_plan` (run all of these and assign textures).
"""
