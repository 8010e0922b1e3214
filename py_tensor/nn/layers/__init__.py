"""Layers: modules with parameters or options, in one file per subject like the functions."""
