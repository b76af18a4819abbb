"""Any weighting: a search over boxes of CDFs."""
