"""The model on a grid of returns: compiled once, then viewed as joint outcomes or floats."""

from .compiled import Branch, Grid, GridModel, TooManySums, compiled, grid_model, own_unit, round_up_reward

__all__ = ["Branch", "Grid", "GridModel", "TooManySums", "compiled", "grid_model", "own_unit", "round_up_reward"]
