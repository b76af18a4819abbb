"""Section 2: histories, quantiles, weightings, the key identity."""
