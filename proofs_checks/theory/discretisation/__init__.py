"""Rewards rounded up to a grid, and the loss of rounding."""
