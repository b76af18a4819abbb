"""What a policy does, in words and as a map of characters."""
