"""The main theorem, the arithmetic of its bound, and what replaces it."""
