"""The models by name, and loading whichever a file holds."""

from __future__ import annotations

import os

from philia.exceptions import ModelFileError
from philia.models.community import CommunityModel
from philia.models.factorization import Factorization
from philia.models.files import read_model

MODELS: dict[str, type[Factorization]] = {"CommunityModel": CommunityModel}


def load(path: str | os.PathLike[str]) -> Factorization:
    """The model in a file, of whatever class it is.

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
    return MODELS[kept.model]._restored(kept)
