"""Search over boxes of CDFs, for any weighting."""
