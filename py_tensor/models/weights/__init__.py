"""Weights without a model: files of PyTorch, safetensors and GGUF, and their use in modules.

Input: files. Output: tensors by name, and modules of `pt.nn` with these weights. Read the modules
in this order:

    pickles        interpret a pickle without running code
    torch_files    files of torch.save: tensors in storages
    gguf           files of llama.cpp: tensors in blocks
    stored         tensors in files that are read in parts
    loading        load_weights: every format, and files in parts
    torch_layers   load_torch_state_dict: PyTorch's names and layouts in modules
"""
