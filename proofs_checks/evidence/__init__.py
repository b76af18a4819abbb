"""Proofs by proof assistant, recorded with the digests of their sources."""
