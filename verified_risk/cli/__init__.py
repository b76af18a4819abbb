"""The command line ``verified-risk``, a thin layer: every command is one call of the library."""

from .main import main

__all__ = ["main"]
