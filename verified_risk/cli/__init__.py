"""The command line ``verified-risk``: thin, every command is one call of the library."""

from .main import main

__all__ = ["main"]
