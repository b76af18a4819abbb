"""The exact optimum, in integers."""
