"""Run graphs: `webgl` on textures, `webgpu` on storage buffers, `wasm` in linear memory, and others on the host.

Input: a graph to compile, then buffers and scalars. Output: buffers. A backend knows no operation.
Read in this order: base (the protocol), numpy (the reference), python (the fallback), jax, device
(what the next ones share), bridge (the protocols of the bridges), bridge_parts, bridged (what webgl
and webgpu share), pyodide and webgl, pyodide_webgpu and webgpu; wasm_memory (blocks of memory), wasm_kernels (the table of kernels and the driver),
wasm_pyodide (WebAssembly inside a page), wasm.
"""
