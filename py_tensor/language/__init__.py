"""The language of shaders, a typed subset of Python, and its printers.

Input: the text of `functions`, formulas of the op definitions, and the values and statements of
kernels. Output: shaders, which compute four elements per fragment.
Reading order: `names` (what functions may use besides Python), `functions`, `tree` (expressions),
`printer`, `statements`, `glsl`, `wgsl`.
"""
