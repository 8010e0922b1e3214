"""Compiler: from a linearized graph to a plan of kernels with their texts.

Input: an `OpGraph` and a `Target`. Output: a `Plan`, which runs with any values.
Reading order, which is the order of processing: `lowered_graph` (a graph that can be rewritten),
`kernel` (the result of fusion), `target` (what the compiler asks a device), `lowering` (rewrite
operations into those that a kernel can compute), `fusion` (choose which nodes are materialized),
`codegen` (write the values of nodes), `stages` (run all of these and assign slots), `textures` and
`buffers` (the targets with textures and with linear memory).
"""
