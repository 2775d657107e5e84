"""Step 2: where the search begins."""

from philia.initialization.catalog import STARTS, Start, choose_start
from philia.initialization.race import race

__all__ = ["STARTS", "Start", "choose_start", "race"]
