"""ONNX files, operator sets 7 to 28.

Input: bytes of a file. Output: a `ModelGraph` and the table of operators that runs it. Read the
modules in this order:

    protobuf    the wire format of Protocol Buffers
    reader      ONNX files to graphs
    operators   the table: operators in terms of py_tensor
    export      functions of py_tensor to files: to_onnx
    export_rows the table: operations in terms of ONNX
    wire_writer messages to bytes
"""
