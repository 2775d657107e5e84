"""Step 4: the problem that a fit solves, on all pairs or on sampled ones, and its checkpoints."""

from philia.fitting.checkpoint import Checkpoint
from philia.fitting.community import BACKGROUNDS, Background, CommunityParametrization
from philia.fitting.problem import AllPairs, Parametrization, Problem, solver_for
from philia.fitting.sampled_pairs import SampledPairs
from philia.fitting.warm_starts import FromFactors, FromModel

__all__ = [
    "BACKGROUNDS",
    "AllPairs",
    "Background",
    "Checkpoint",
    "CommunityParametrization",
    "FromFactors",
    "FromModel",
    "Parametrization",
    "Problem",
    "SampledPairs",
    "solver_for",
]
