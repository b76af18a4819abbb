"""Learning by optimism: histories, empirical and optimistic models, regret."""
