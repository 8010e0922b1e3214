"""Run graphs: `webgl` and `webgpu` on a GPU, `wasm` in linear memory, and others on the host.

Input: a graph to compile, then buffers and scalars. Output: buffers. A backend knows no operation.
Read in this order: base (the protocol), numpy (the reference), python (the fallback), jax, device
(what the next ones share), bridge (the protocols of the bridges), bridge_parts and bridged (what
webgl and webgpu share), pyodide (bridges inside a page), webgl, pyodide_webgpu, webgpu; wasm_memory
(blocks of memory), wasm_kernels (the table of kernels and the driver), wasm_pyodide (WebAssembly
inside a page), wasm.
"""
