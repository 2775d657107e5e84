"""The registry of models, and loading any of them from a file."""

from __future__ import annotations

import os

from philia.exceptions import ModelFileError
from philia.models.attract_repel import AttractRepel
from philia.models.bigclam import BigClam
from philia.models.community import CommunityModel
from philia.models.files import read_model, refusing_damage
from philia.models.link_model import LinkModel
from philia.models.logistic_pca import LogisticPCA
from philia.models.normalized_cuts import NormalizedCuts
from philia.models.random_links import RandomLinks
from philia.models.soft_clustering import SoftClustering
from philia.models.svd import SVD
from philia.models.symnmf import SymNMF
from philia.models.vgraph import VGraph

_ALL: tuple[type[LinkModel], ...] = (
    CommunityModel,
    LogisticPCA,
    BigClam,
    SymNMF,
    SoftClustering,
    SVD,
    AttractRepel,
    NormalizedCuts,
    VGraph,
    RandomLinks,
)
MODELS: dict[str, type[LinkModel]] = {model.__name__: model for model in _ALL}


def load(path: str | os.PathLike[str]) -> LinkModel:
    """Load a model of any class from a file.

    >>> import tempfile, philia
    >>> model = philia.CommunityModel(1, 1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.safetensors")
    ...     again = philia.load(f"{folder}/model.safetensors")
    >>> again.graph_
    Graph(3 nodes, 2 links)
    """
    kept = read_model(path)
    if kept.model not in MODELS:
        raise ModelFileError(
            f"{str(path)!r} holds a {kept.model!r}, which this philia does not know; it knows {', '.join(MODELS)}"
        )
    with refusing_damage(path):
        return MODELS[kept.model]._restored(kept)
