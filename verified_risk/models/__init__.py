"""Named models."""
