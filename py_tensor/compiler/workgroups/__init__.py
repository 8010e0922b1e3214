"""Devices with workgroups: kernels are compute shaders, whose invocations share memory.

Input: a `LoweredGraph` and a `Kernel`. Output: its `Shader`, and the buffers of a plan.
Reading order: `reads` (groups and elements of buffers), `workgroup_writer`, the statements of each
kind of kernel (`map_kernel`, `reduce_kernel`, ...), `write`, `plan` (buffers of a plan, and its
words), `target` (what the compiler asks a device).
"""
