"""Run pending graphs: find or compile a plan, execute it on a backend, and read the results.

Input: pending nodes and host data (numbers, sequences, buffers, NumPy arrays).
Output: the same nodes with buffers, and host values as bytes, lists or text.
Read in this order: backends/ (base, numpy, python, bridge, pyodide, webgl), executor, host_data,
evaluators, host_eval, scopes, array_format.
"""
