"""From a graph to kernels: which operations share a draw.

Rooms in order of processing: `program` (a graph that can be rewritten), `lower` (into what the
shaders can do: `sums`, `contractions`, `scans`, `complexes`), `fuse` (which nodes are stored),
`kernel` (the result), `textures` (how wide what is stored lies).
"""
