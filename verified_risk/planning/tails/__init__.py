"""Mean, CVaR and their mixtures: one pass over budgets."""
