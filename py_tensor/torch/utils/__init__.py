"""Tools: `torch.utils`."""

from . import data as data
