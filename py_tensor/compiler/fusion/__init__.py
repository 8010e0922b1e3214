"""Fusion: choose the nodes to materialize, and inline all others into the kernels that read them.

Input: a `LoweredGraph`. Output: a `KernelSchedule`, made by `fuse.fuse`.
Reading order: `traits` (facts about each kind of operation), `nodes` (facts about each node),
`materialize` (choose what is materialized), `fuse` (group nodes into kernels).
"""
