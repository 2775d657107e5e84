"""Estimators: thin shells over graphs, starts, objectives, solvers and factors."""

from philia.models.catalog import MODELS, load
from philia.models.community import CommunityModel
from philia.models.factorization import Factorization

__all__ = ["MODELS", "CommunityModel", "Factorization", "load"]
