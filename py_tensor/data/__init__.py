"""Datasets: pipelines over arrays, generators and files that produce batches of tensors.

Input: arrays, also larger than memory, a generator function, a CSV file or Parquet files. Output:
elements or batches, by iteration.
Read the modules in this order:

    columns         arrays whose rows are elements
    batch_stacking  stack elements to a batch
    stages          the stages of a pipeline as asynchronous generators
    pipeline        iterate over the elements of a pipeline
    dataset         the Dataset class
    sources         from_arrays and from_generator
    csv_file        csv
    parquet_file    parquet
    devices         webcam and microphone
"""

from .csv_file import csv
from .dataset import Dataset, zip_ as zip
from .devices import Microphone, SoundRecording as Recording, Webcam, microphone, webcam
from .parquet_file import parquet
from .sources import from_arrays, from_generator

__all__ = [
    "Dataset",
    "Microphone",
    "Recording",
    "Webcam",
    "csv",
    "from_arrays",
    "from_generator",
    "microphone",
    "parquet",
    "webcam",
    "zip",
]
