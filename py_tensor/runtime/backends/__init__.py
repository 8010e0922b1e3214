"""Run graphs: `webgl` through the bridge, `numpy` and `python` on the host.

Input: a graph to compile, then buffers and scalars. Output: buffers. A backend knows no operation.
Read in this order: base (the protocol), numpy (the reference), python (the fallback), bridge (the
protocol of the WebGL bridge), pyodide (the bridge inside a page), webgl.
"""
