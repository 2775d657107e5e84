"""Step 2: where the search begins."""

from philia.initialization.catalog import STARTS, Start, WholeStart, choose_start
from philia.initialization.race import race

__all__ = ["STARTS", "Start", "WholeStart", "choose_start", "race"]
