"""Step 2: where the search begins."""

from philia.initialization.race import race
from philia.initialization.starts import STARTS, AcrossSides, Start, WholeStart, choose_start

__all__ = ["STARTS", "AcrossSides", "Start", "WholeStart", "choose_start", "race"]
