"""Kernels for devices with linear memory, written as text for `language.wasm_text`.

Input: op instances and the strides of their operands in memory. Output: text of functions.
"""
