"""The language of shader functions, a typed subset of Python, and its printers.

Input: the text of `functions`, and formulas of the op definitions. Output: the same in a language
of shaders, for the four elements that a fragment computes.
Reading order: `names` (what functions may use besides Python), `functions`, `printer`, `glsl`,
`wgsl`.
"""
