"""Proofs that do not come from running cases: by solver and by proof assistant, recorded with digests."""
