"""Inspect and control computation: counts and scopes of tensors, plans as text, debug mode.

Input: tensors and functions of the user.
Output: counts (`memory`, `cache_info`), text (`explain`) and checked operations (debug mode).
Read in this order: memory, explain, debug.
"""
