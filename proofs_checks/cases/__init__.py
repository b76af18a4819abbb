"""Cases for the claims: strategies, exhaustive families, histories, estimated models."""
