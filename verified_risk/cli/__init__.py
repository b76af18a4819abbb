"""The command line ``verified-risk``: thin, every command is one call of the library.

Exit codes: 0 done; 1 an audit or a recheck found something wrong; 2 bad input (one line says what to do).
"""

from .main import main

__all__ = ["main"]
