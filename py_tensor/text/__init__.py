"""Texts as the tokens of models, with the tokenizers of other libraries.

Input: a `tokenizer.json`, `vocab.txt` or GGUF file. Output: a `Tokenizer`. Read the modules in this
order:

    unicode_sets, regex    regular expressions of files, for Python's `re`
    aligned                texts that remember the characters of the original
    parts                  parts of a file by their type
    byte_characters        characters for bytes
    normalizers, precompiled, pre_tokenizers, models, post_processors, decoders
                           a table of types each, in the order in which a text passes them
    added_tokens           tokens that are found before the model splits a text
    encoding, limits       columns of tokens; truncation and padding
    chat_templates, sandbox    conversations
    decoding               texts of tokens
    gguf_vocabulary, bert_vocabulary
                           descriptions of tokenizers of GGUF files and of BERT
    files, loading         where files are
    pipeline, tokenizer    Tokenizer
    generation             texts of language models
    embeddings             vectors of texts, and the search for similar ones
"""

from .decoding import DecodeStream
from .embeddings.embedder import Embedder
from .embeddings.loading import load_embedder
from .embeddings.search import search
from .encoding import Encoding
from .generation.language_model import Chat, LanguageModel
from .generation.loading import load
from .generation.pieces import Generation
from .generation.sampling import Sampling
from .tokenizer import Tokenizer

__all__ = [
    "Chat",
    "DecodeStream",
    "Embedder",
    "Encoding",
    "Generation",
    "LanguageModel",
    "Sampling",
    "Tokenizer",
    "load",
    "load_embedder",
    "search",
]
