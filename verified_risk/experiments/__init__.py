"""Experiments of the paper and sweeps."""
