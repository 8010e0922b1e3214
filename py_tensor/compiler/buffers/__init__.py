"""Devices with linear memory: kernels are WebAssembly functions, loops over row-major values.

Input: a `LoweredGraph` and a `Kernel`. Output: its `Shader`, and the words of a plan's draws.
Reading order: `storage` (instructions that load and store elements), `nest` (axes of the loops),
`segments` (parts of the loops whose lanes read one operand), `buffer_writer` (reads and stores of
four neighbours) with `gathers`, `map_kernel`, `reduce_kernel`, `scan_kernel` and `scatter_kernel`.
Written as instructions: `body` (the text of a function), `elements`, `packing`, `products`,
`convolutions`, `contractions` and `contract_kernel`, `sort_kernel`, `decompose_kernel`. Then
`write` (the text of a kernel), `plan` (words) and `target` (what the compiler asks a device).
"""
