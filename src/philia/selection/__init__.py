"""The automatic choice of the numbers of communities and the penalty."""

from philia.selection.plan import Folds, Settings, first_settings
from philia.selection.search import Search, choose
from philia.selection.selection import Selection, Step
from philia.selection.sparse import SparseChoice, choose_sparse

__all__ = [
    "Folds",
    "Search",
    "Selection",
    "Settings",
    "SparseChoice",
    "Step",
    "choose",
    "choose_sparse",
    "first_settings",
]
