"""Step 2: where the search begins."""

from philia.initialization.catalog import STARTS, Start, choose_start

__all__ = ["STARTS", "Start", "choose_start"]
