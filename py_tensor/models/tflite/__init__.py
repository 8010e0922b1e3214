"""TFLite files, schema version 3.

Input: bytes of a file. Output: a `ModelGraph` and the table of operators that runs it. Read the
modules in this order:

    flatbuffers  the format of FlatBuffers
    schema       tables of a TFLite file
    reader       TFLite files to graphs
    operators    the table: operators in terms of py_tensor
"""
