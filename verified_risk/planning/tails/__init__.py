"""Mean, CVaR and their mixtures, by one pass over budgets."""
