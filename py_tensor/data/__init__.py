"""Datasets: rows of arrays, generators and CSV files, mapped, shuffled and batched to tensors."""

from .csv_file import csv
from .dataset import Dataset
from .dataset import zip_ as zip
from .sources import from_arrays, from_generator

__all__ = ["Dataset", "csv", "from_arrays", "from_generator", "zip"]
