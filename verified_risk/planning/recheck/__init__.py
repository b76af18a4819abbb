"""Both bounds of a plan again, by other routes."""
