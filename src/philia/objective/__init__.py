"""Step 3: the objective that a fit minimizes."""

from philia.objective.all_pairs import AllPairsObjective, ClosedFormObjective, SmallObjective, exact_objective
from philia.objective.likelihood import mean_log_likelihood
from philia.objective.losses import CrossEntropy, Divergence, Loss, NoisyOr, SquaredError
from philia.objective.recipe import Freedom, Group, Recipe
from philia.objective.sampled_pairs import SampledPairsObjective
from philia.pairs import BothPairs as BothPairs  # these six were once here, and can still be imported from here
from philia.pairs import HeldOut as HeldOut
from philia.pairs import ListedPairs as ListedPairs
from philia.pairs import PredicatePairs as PredicatePairs
from philia.pairs import RandomPairs as RandomPairs
from philia.pairs import seen as seen

__all__ = [
    "AllPairsObjective",
    "ClosedFormObjective",
    "CrossEntropy",
    "Divergence",
    "Freedom",
    "Group",
    "Loss",
    "NoisyOr",
    "Recipe",
    "SampledPairsObjective",
    "SmallObjective",
    "SquaredError",
    "exact_objective",
    "mean_log_likelihood",
]
