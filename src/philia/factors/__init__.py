"""Step 5: factors, the result of a fit."""

from philia.factors.blocks import BlockFactors
from philia.factors.coins import CoinFactors
from philia.factors.community import CommunityFactors
from philia.factors.cone import ConeFactors
from philia.factors.conversion import absorbed, doubled, rational, shift, split, strongest
from philia.factors.factors import Factors, LowRankFactors, Part
from philia.factors.features import FeatureFactors
from philia.factors.logistic import LogisticFactors
from philia.factors.mixture import MixtureFactors
from philia.factors.signed import SignedFactors
from philia.factors.sparse import SparseFactors, row_products

__all__ = [
    "BlockFactors",
    "CoinFactors",
    "CommunityFactors",
    "ConeFactors",
    "Factors",
    "FeatureFactors",
    "LogisticFactors",
    "LowRankFactors",
    "MixtureFactors",
    "Part",
    "SignedFactors",
    "SparseFactors",
    "absorbed",
    "doubled",
    "rational",
    "row_products",
    "shift",
    "split",
    "strongest",
]
