"""The optimistic model, and that it promises no less than the truth."""
