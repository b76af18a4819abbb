"""The main theorem, the arithmetic of its bound, and the corrected theorem."""
