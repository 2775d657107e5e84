"""Step 3: what is minimised."""

from philia.objective.all_pairs import AllPairsObjective
from philia.objective.closed_form import ClosedFormObjective, exact_objective
from philia.objective.held_out import BothPairs, HeldOut, ListedPairs, PredicatePairs, RandomPairs, seen
from philia.objective.likelihood import mean_log_likelihood
from philia.objective.losses import CrossEntropy, Divergence, Loss, NoisyOr, SquaredError
from philia.objective.recipe import Freedom, Group, Recipe
from philia.objective.sampled_pairs import SampledPairsObjective

__all__ = [
    "AllPairsObjective",
    "BothPairs",
    "ClosedFormObjective",
    "CrossEntropy",
    "Divergence",
    "Freedom",
    "Group",
    "HeldOut",
    "ListedPairs",
    "Loss",
    "NoisyOr",
    "PredicatePairs",
    "RandomPairs",
    "Recipe",
    "SampledPairsObjective",
    "SquaredError",
    "exact_objective",
    "mean_log_likelihood",
    "seen",
]
