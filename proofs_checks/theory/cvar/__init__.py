"""The CVaR appendix: budgets, the recursion, the choice of rho."""
