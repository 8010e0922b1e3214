"""Run graphs: `webgl` on textures, `wasm` in linear memory, and others on the host.

Input: a graph to compile, then buffers and scalars. Output: buffers. A backend knows no operation.
Read in this order: base (the protocol), numpy (the reference), python (the fallback), jax, device
(what the next ones share), bridge (the protocol of the WebGL bridge), pyodide (the bridge inside a
page), webgl; wasm_memory (blocks of memory), wasm_kernels (the table of kernels and the driver),
wasm_pyodide (WebAssembly inside a page), wasm.
"""
