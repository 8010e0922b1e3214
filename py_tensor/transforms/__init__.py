"""Transform functions: differentiate them, or compile them once per kind of arguments.

Input: a Python function of tensors, numbers and trees of these.
Output: a function with the same arguments that returns derivatives, or that runs a compiled plan.
Read in this order: autodiff/ (`grad`, `vjp`, `jvp`, `checkpoint`), jit/ (`jit`, `warmup`), subgraph
(tracing inside other work), loop_op and branch_op (loops and branches in graphs), vmap, jacobians,
control_flow, trees.
"""
