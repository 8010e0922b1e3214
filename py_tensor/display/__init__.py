"""Show tensors, pictures, plots and progress where the program runs.

Input: tensors and other objects. Output: text, HTML and pictures in a notebook, page or terminal.

    html       tensors as HTML tables for notebooks
    pictures   tensors as PNG files
    places     the notebook, page or terminal that shows the program's output
    api        `show`
    bars       `progress`, and output that changes while the program runs
"""
