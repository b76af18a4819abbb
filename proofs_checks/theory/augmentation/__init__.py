"""Policies of the state and the reward so far suffice."""
