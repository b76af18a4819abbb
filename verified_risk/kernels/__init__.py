"""Compiled loops over arrays; the only package that imports numba."""
