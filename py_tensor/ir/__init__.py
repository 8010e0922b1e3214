"""Intermediate representation: the graph of operations, before anything is computed.

Input: op definitions and operands. Output: nodes with checked shapes and dtypes, and a linearized
graph with the key under which its plan is cached.
Reading order: `node` (specs, op instances, nodes, graphs and their keys), `tracer` (stand for the
arguments of a compiled function), `pytree` (containers as leaves and a structure).
"""
