"""The empirical model, and the event on which it is close to the truth."""
