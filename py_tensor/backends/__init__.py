"""Where plans run: `numpy` on the host, `webgl` through the bridge.

A backend implements few verbs, never operations.
"""
