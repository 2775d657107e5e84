"""Fits that write down how far they have come, and go on from there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from philia.exceptions import CheckpointError
from philia.graphs import Graph
from philia.models.checkpoints import Checkpoint
from philia.models.descriptions import description, differences
from philia.models.journal import Journal, KeptJournal, NoJournal

if TYPE_CHECKING:
    from philia.models.link_model import LinkModel

CheckpointLike = str | os.PathLike[str] | Checkpoint | None


class ResumableFit:
    """A fit with its random generator, which goes on where the fit in the checkpoint's folder has ended.

    The generator is put back to where that fit began, so that without a seed too both draw the same.

    >>> import tempfile
    >>> folder = Checkpoint(tempfile.mkdtemp(), every=0.0, stays=True)
    >>> from philia import CommunityModel
    >>> one, two = (CommunityModel(1, 1, penalty=1).fit([(0, 1), (1, 2)], checkpoint=folder) for _ in range(2))
    >>> bool((one.solution_.point == two.solution_.point).all())
    True
    """

    def __init__(self, checkpoint: CheckpointLike, rng: np.random.Generator) -> None:
        self.rng = rng
        self.checkpoint = Checkpoint(checkpoint) if isinstance(checkpoint, (str, os.PathLike)) else checkpoint
        earlier = self.checkpoint and self.checkpoint.about
        if earlier and earlier["generator"]["bit_generator"] == rng.bit_generator.state["bit_generator"]:
            rng.bit_generator.state = earlier["generator"]
        self._first = _as_json(rng.bit_generator.state)

    @contextmanager
    def journal(self, model: LinkModel, graph: Graph) -> Iterator[Journal]:
        """The journal of this fit, while it lasts; an error if the folder holds that of another fit."""
        checkpoint = self.checkpoint
        if checkpoint is None:
            yield NoJournal()
            return
        about = _as_json({"fit": description(model, graph), "generator": self._first, "begun": _now()})
        _require_same(checkpoint, about)
        checkpoint.begin(about)
        journal = KeptJournal(checkpoint, self.rng)
        try:
            yield journal
        except BaseException:
            checkpoint.pause()
            raise
        if journal.interrupted:
            checkpoint.pause()
        else:
            checkpoint.finish()


def in_words(about: dict[str, Any]) -> str:
    """Which fit a checkpoint is of.

    >>> in_words({"fit": {"model": "SVD", "nodes": 3000, "links": 1}, "begun": "2025-01-31 12:00"})
    'a fit of SVD to 3,000 nodes and 1 links, begun 2025-01-31 12:00'
    """
    fit = about["fit"]
    return f"a fit of {fit['model']} to {fit['nodes']:,} nodes and {fit['links']:,} links, begun {about['begun']}"


def _require_same(checkpoint: Checkpoint, about: dict[str, Any]) -> None:
    earlier = checkpoint.about
    if earlier is None:
        return
    other = differences(earlier["fit"], about["fit"])
    if earlier["generator"] != about["generator"]:
        other.append("the kind of random generator is another")
    if other:
        raise CheckpointError(
            f"the checkpoint {str(checkpoint.path)!r} is of another fit: {'; '.join(other)}. Fit as before to go on "
            "with it, remove the folder to begin anew, or give another one"
        )


def _as_json(values: Any) -> Any:
    """The same as it will be read again from a file."""
    return json.loads(json.dumps(values, default=lambda array: array.tolist()))


def _now() -> str:
    return datetime.now().astimezone().isoformat(" ", "minutes")
