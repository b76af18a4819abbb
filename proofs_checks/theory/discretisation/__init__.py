"""Rewards rounded up to a grid, and what that costs."""
