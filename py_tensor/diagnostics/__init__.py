"""Inspect, measure and control computation: memory, plans as text, times, debug mode, settings.

Input: tensors and functions of the user. Output: counts (`memory`, `cache_info`), lines that leave
tensors (`memory_trace`, `assert_no_leaks`), text (`explain`), times of kernels (`time`, `profile`),
checked operations (debug mode) and settings (`env`).
Read in this order: memory, tables, leaks, explain, recorder, profile, debug, env.
"""
