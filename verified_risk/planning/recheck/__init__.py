"""Independent rechecks of both bounds of a plan."""
