"""Transformers from files: families of transformers' models, and GGUF files.

Input: the configuration of a model and its tensors by name. Output: a module of `pt.nn`. Read the
modules in this order:

    configurations  options of a decoder from config.json
    headers         options of a decoder from the metadata of a GGUF file
    names           fields of modules by the names of tensors in files
    encoders        encoders, and speech to text: modules and names
    pooling         vectors of texts, by the files of sentence-transformers
    loading         load_transformer
"""
