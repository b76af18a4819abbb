"""The optimistic model, and why its best value is at least the true one."""
