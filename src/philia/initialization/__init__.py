"""Step 2: where the search begins."""

from philia.initialization.race import race
from philia.initialization.starts import STARTS, Start, WholeStart, choose_start

__all__ = ["STARTS", "Start", "WholeStart", "choose_start", "race"]
