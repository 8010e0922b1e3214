"""Vectors of texts, and the search for similar ones.

Input: texts. Output: tensors with a vector for each. Read the modules in this order:

    search      the vectors with the largest scores
    embedder    a model with its tokenizer, and how vectors of tokens become one
    loading     embedders from files
"""
