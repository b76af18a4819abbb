"""Descriptions of policies, in words and as character maps."""
