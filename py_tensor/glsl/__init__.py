"""From kernels to GLSL ES 3.00.

`expressions` writes what a node is at an index; `map_kernel`, `reduce_kernel` and `contract_kernel`
write the loops around it; `shader` puts declarations and helper functions in front.
"""
