"""Layers: modules with parameters or options, one file a subject as the functions beside them."""
