"""Kernels: Python functions that become shaders (`pt.kernel`).

Input: a Python function of numbers. Output: a function of tensors, which computes it for each
element on any backend. Reading order: `source` (syntax tree and errors), `program` (typed
statements), `builder` and `intrinsics` (typed operations); from the tree to a program: `locals`
(variables and masks), `reading` (the state), `expressions`, `statements`, `loops`, `inlining`
(calls), `shader_functions`, `reader`; `execution` (programs on arrays), `op_defs`, `kinds` (entries
in the engine's tables), `exits` (loops of one element in shaders), `program_writer` (shaders),
`plain` (the function run in Python), `values` (vectors and random numbers), `calls` (arguments and
gradients), `api`, `hand_written` (`pt.glsl_kernel`). Kernels that write: `workgroups` (functions of
groups), `effects` (from the tree to writes and shared arrays), `copying` and `lock_step` (programs
without writes), `combining` (writes of tensors), `writing` (calls).
"""

from .api import KernelFunction
from .values import Vector, cross, dot, length, normalize, transpose, uniform, vec

__all__ = [
    "KernelFunction",
    "Vector",
    "cross",
    "dot",
    "length",
    "normalize",
    "transpose",
    "uniform",
    "vec",
]
