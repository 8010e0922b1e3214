"""Language models from files: decoders of transformers' families, and GGUF files.

Input: the configuration of a model and its tensors by name. Output: a `CausalDecoder` of `pt.nn`.
Read the modules in this order:

    configurations  options of a decoder from config.json
    headers         options of a decoder from the metadata of a GGUF file
    names           fields of a decoder by the names of tensors in files
    loading         load_decoder
"""
