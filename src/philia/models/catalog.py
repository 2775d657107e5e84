"""The models: one line each. `philia`, the command line, the reference and the contracts follow from this list."""

from __future__ import annotations

import os

from philia.exceptions import ModelFileError
from philia.models.attract_repel import AttractRepel as AttractRepel
from philia.models.bigclam import BigClam as BigClam
from philia.models.community import CommunityModel as CommunityModel
from philia.models.files import read_model, refusing_damage
from philia.models.ieclam import IeClam as IeClam
from philia.models.latent_features import LatentFeatures as LatentFeatures
from philia.models.link_model import LinkModel
from philia.models.logistic_pca import LogisticPCA as LogisticPCA
from philia.models.normalized_cuts import NormalizedCuts as NormalizedCuts
from philia.models.random_links import RandomLinks as RandomLinks
from philia.models.soft_clustering import SoftClustering as SoftClustering
from philia.models.svd import SVD as SVD
from philia.models.symnmf import SymNMF as SymNMF
from philia.models.vgraph import VGraph as VGraph

# The imports are the list: a second one would have to be kept in step with it. "X as X" makes X public (PEP 484).
MODELS: dict[str, type[LinkModel]] = {
    name: model
    for name, model in globals().items()
    if isinstance(model, type) and issubclass(model, LinkModel) and model is not LinkModel
}


def load(path: str | os.PathLike[str]) -> LinkModel:
    """Load a model of any class from its file.

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
