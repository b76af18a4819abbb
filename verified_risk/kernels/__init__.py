"""The only room with numba."""
