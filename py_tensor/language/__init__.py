"""The language of kernels, a typed subset of Python, and its printers.

Input: the text of `functions`, formulas of the op definitions, and the values and statements of
kernels. Output: texts in GLSL, WGSL or WebAssembly, which compute four elements at once.
Reading order: `names` (what functions may use besides Python), `functions`, `elementary` (functions
that WebAssembly does not have), `tree` (expressions), `forms` and `printer`, `statements`, `glsl`,
`wgsl`, `wasm` with `wasm_operations`, `wasm_inlining` (copy functions into their callers) and
`wasm_text` (the assembler), `plain` (functions of Python numbers).
"""
