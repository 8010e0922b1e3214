"""What the compiler does for devices with linear memory: kernels are loops over row-major values.

Reading order: `storage` (how elements are stored), `nest` (loops of a kernel), `buffer_writer`
(reads and stores of four neighbours), the kinds of kernels (`map_kernel`, `reduce_kernel`,
`scan_kernel`), `write` (the text of a kernel), `target`.
"""
