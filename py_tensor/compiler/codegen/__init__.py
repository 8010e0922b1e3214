"""Code generation: from kernels to shaders, in any of the languages of `language/`.

Input: a `LoweredGraph`, a `Kernel` and the tilings. Output: a `Shader`, made by `write.write`.
Reading order: `kernel_nodes` (all that a shader depends on, and the key by which equal kernels are
written once), `types` (conversions) and `positions`, `indices`, `reads` (texels and elements),
`strided` and `fetches` (the cheapest reads), `writer` (the value of a node at an index) with
`cancellation`, `expressions` and `joins` (the value of each kind of operation), `map_kernel`,
`reduce_kernel`, `scan_kernel` and `contract_kernel` (the loops around it) with `operands`, `tiles`
and `tile_heuristics`, `shader`, `write`.
"""
