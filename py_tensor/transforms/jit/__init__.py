"""Trace a function once per kind of arguments; later calls run its executable.

Input: a Python function and the arguments of a call.
Output: an executable, that is one plan with the sources of its inputs and results.
Read in this order: api (`jit`, tracing, the cache), executable, precompile (`warmup`).
"""
