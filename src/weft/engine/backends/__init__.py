"""Backends of the link operator: SciPy for small graphs, Numba for large ones."""
