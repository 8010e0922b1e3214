"""Code generation: the value of a node at an index, in any of the languages of `language/`.

Input: a `LoweredGraph` and a `Kernel`. Output: statements, which the target makes a `Shader` of.
Reading order: `kernel_nodes` (all that a kernel's text depends on, and the key by which equal
kernels are written once), `types` (conversions), `positions` and `indices`, `writer` (the value of
a node at an index) with `cancellation`, `expressions` and `joins` (the value of each kind of
operation), `shader`.
"""
