"""Devices with textures: kernels are fragment shaders, which read textures and draw into others.

Input: a `LoweredGraph` and a `Kernel`. Output: its `Shader`, and the textures that it draws into.
Reading order: `texture_layout` (choose texture widths), `taps` (taps of a convolution that are
computed together), `lowering` (rewrite operations that a fragment shader cannot compute), `tiles`
and `tile_heuristics` (blocks of results of a fragment), `reads` (texels and elements), `strided`
and `fetches` (the cheapest reads), `texture_writer`, `map_kernel`, `reduce_kernel`, `scan_kernel`
and `contract_kernel` (the statements of each kind of kernel) with `operands`, `write`, `plan`
(textures of a plan, and its words), `target` (what the compiler asks a device).
"""
