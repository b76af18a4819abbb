"""Close models have close objectives."""
