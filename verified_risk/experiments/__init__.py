"""The paper's experiment, a scaling study, and sweeps on one machine or a cluster.

>>> from verified_risk.experiments import Cell, grid
>>> len(grid(Cell("frozen_lake", "cvar(1/3)"), algorithm=["ucb", "greedy"], seed=range(5)))
10
"""

from .lake import lake_experiment
from .rivals import rival_experiment
from .scaling import scaling_study
from .sweep import Cell, SweepResult, grid, run_cell, sweep

__all__ = ["Cell", "SweepResult", "grid", "lake_experiment", "rival_experiment", "run_cell", "scaling_study", "sweep"]
