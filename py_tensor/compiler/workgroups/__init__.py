"""Devices with workgroups: kernels are compute shaders over storage buffers."""
