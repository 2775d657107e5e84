"""Step 3: what is minimised."""

from philia.objective.all_pairs import AllPairsObjective
from philia.objective.held_out import HeldOut, ListedPairs, RandomPairs
from philia.objective.losses import CrossEntropy, Loss, SquaredError
from philia.objective.recipe import Freedom, Group, Recipe

__all__ = [
    "AllPairsObjective",
    "CrossEntropy",
    "Freedom",
    "Group",
    "HeldOut",
    "ListedPairs",
    "Loss",
    "RandomPairs",
    "Recipe",
    "SquaredError",
]
