"""Step 4: the problem that a fit solves, on all pairs or on sampled ones, and its checkpoints."""

from philia.fitting.checkpoint import Checkpoint
from philia.fitting.community import CommunityParametrization
from philia.fitting.problem import AllPairs, Parametrization, Problem, solver_for
from philia.fitting.sampled_pairs import SampledPairs

__all__ = [
    "AllPairs",
    "Checkpoint",
    "CommunityParametrization",
    "Parametrization",
    "Problem",
    "SampledPairs",
    "solver_for",
]
