"""The fuzz farm: properties of the whole project tried on new random cases for as long as one likes."""

from .catalogue import ALL, check
from .farm import Report, run

__all__ = ["ALL", "Report", "check", "run"]
