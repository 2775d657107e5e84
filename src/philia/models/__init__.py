"""Estimators: thin shells over graphs, starts, objectives, solvers and factors."""

from philia.fitting.warm_starts import FromFactors, FromModel
from philia.models.attract_repel import AttractRepel
from philia.models.bigclam import BigClam
from philia.models.catalog import MODELS, load
from philia.models.community import CommunityModel
from philia.models.factorization import Factorization
from philia.models.link_model import LinkModel
from philia.models.logistic_pca import LogisticPCA
from philia.models.node_features import NodeFeatures
from philia.models.nonnegative import NonnegativeFactorization
from philia.models.normalized_cuts import NormalizedCuts
from philia.models.placement import Placement
from philia.models.random_links import RandomLinks
from philia.models.soft_clustering import SoftClustering
from philia.models.svd import SVD
from philia.models.symnmf import SymNMF
from philia.models.vgraph import VGraph

__all__ = [
    "MODELS",
    "SVD",
    "AttractRepel",
    "BigClam",
    "CommunityModel",
    "Factorization",
    "FromFactors",
    "FromModel",
    "LinkModel",
    "LogisticPCA",
    "NodeFeatures",
    "NonnegativeFactorization",
    "NormalizedCuts",
    "Placement",
    "RandomLinks",
    "SoftClustering",
    "SymNMF",
    "VGraph",
    "load",
]
