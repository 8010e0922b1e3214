"""Print the size of the wheel and fail if it exceeds the limit.

usage: python tools/check_size.py WHEEL
"""

import sys
from pathlib import Path

# Docstrings with sections for arguments, results and errors account for 35,000 bytes of this, and
# NumPy's functions beyond the array API standard for 55,000. Images, signals, sparse and ragged
# tensors and other functions of TensorFlow.js account for 25,000; models of ONNX for 54,000, of
# 170 operators and of sequences; of TFLite for 40,000, of 150 operators; of TensorFlow.js for
# 66,000, of 230 operators, 110 layers, 90 recorded operations, custom and stateful layers; files of
# weights, saving and export for 36,000; downloads, their storage and archives for 14,000; plain
# Python and checks of arguments for 20,000; times, profiles, leaks and `pt.env` for 17,000; kernels
# of the user, whose functions are read, typed and printed, for 42,000; several results, shared
# texels and hand-written shaders for 13,000; float16 storage and reasons for a backend for 3,000;
# the limit of GPU memory and lost contexts for 6,000; texts, hash tables and narrow numbers of
# models for 10,000; parts of a plan that are computed once for 6,000; formulas and functions of
# operations in Python, with printers for GLSL and WGSL, for 11,000; tensors as HTML, pictures,
# progress and the places of output for 12,000; plots as SVG for 14,000; images before and after
# models, sounds and CTC decoding, 50 functions, for 40,000; kernels built from typed values and
# printed in both shader languages for 5,000; the JAX backend, its loops and branches, and 64-bit
# dtypes for 15,000; data that exceeds memory, several devices and processes for 12,000; layers of
# models and decoded hands for 4,000; loops of single elements in shaders for 4,000;
# sizes as uniforms, with divisions by them, for 3,000; convolutions of few channels for 4,000;
# shorter calls of jitted functions for 1,000.
LIMIT = 1_163_000


def main(wheel: Path) -> int:
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} of {LIMIT:,} bytes")
    return int(size > LIMIT)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
