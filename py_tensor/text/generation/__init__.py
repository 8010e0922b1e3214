"""Generate text with language models.

Input: a prompt. Output: pieces of text, one after another. Read the modules in this order:

    sampling          the next token of logits
    steps             tokens with a decoder and its cache
    patterns, schemas masks of tokens for regular expressions and JSON schemas
    pieces            Generation: text of tokens, as they are made
    language_model    LanguageModel and Chat
    loading           load
"""
