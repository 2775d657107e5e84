"""Fits that write down how far they have come, and go on from there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from philia.exceptions import CheckpointError, DivergedError
from philia.graphs import Graph
from philia.models.checkpoints import Checkpoint
from philia.models.descriptions import description, differences
from philia.models.journal import Journal, KeptJournal, NoJournal, set_state
from philia.pairs import HeldOutLike, as_held_out

if TYPE_CHECKING:
    from philia.models.link_model import LinkModel

CheckpointLike = str | os.PathLike[str] | Checkpoint | None


class ResumableFit:
    """A fit with its random generator, which goes on where the fit in the checkpoint's folder has ended.

    Unless it is ``seeded``, the generator is put back to where that fit began, so that both draw the same.

    >>> import tempfile
    >>> folder = Checkpoint(tempfile.mkdtemp(), every=0.0, stays=True)
    >>> from philia import CommunityModel
    >>> one, two = (CommunityModel(1, 1, penalty=1).fit([(0, 1), (1, 2)], checkpoint=folder) for _ in range(2))
    >>> bool((one.solution_.point == two.solution_.point).all())
    True
    """

    def __init__(self, checkpoint: CheckpointLike, rng: np.random.Generator, *, seeded: bool) -> None:
        self.rng = rng
        self.checkpoint = Checkpoint(checkpoint) if isinstance(checkpoint, (str, os.PathLike)) else checkpoint
        earlier = None if self.checkpoint is None or seeded else fit_in(self.checkpoint)
        if earlier and earlier["generator"]["bit_generator"] == rng.bit_generator.state["bit_generator"]:
            assert self.checkpoint is not None
            set_state(rng, earlier["generator"], self.checkpoint)
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
        except DivergedError:
            checkpoint.clear()  # it could only diverge again
            raise
        except BaseException:
            checkpoint.pause()
            raise
        with suppress(KeyboardInterrupt):  # the result is there, and worth more than its checkpoint
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


def fit_in(checkpoint: Checkpoint) -> dict[str, Any] | None:
    """What a checkpoint says about its fit, with all that such a description has; None if it is of none."""
    about = checkpoint.about
    if about is None:
        return None
    fit, generator = about.get("fit"), about.get("generator")
    whole = set(about) == {"fit", "generator", "begun"} and isinstance(about["begun"], str)
    if not (whole and isinstance(fit, dict) and isinstance(generator, dict) and "bit_generator" in generator):
        raise checkpoint.damaged("fit.json does not say which fit it is of")
    kinds = {"philia": str, "model": str, "settings": dict, "nodes": int, "links": int, "graph": str, "held out": str}
    if set(fit) != set(kinds) or not all(type(fit[name]) is kind for name, kind in kinds.items()):
        raise checkpoint.damaged("fit.json does not describe a fit as it should")
    return about


def planned(model: LinkModel, graph: Graph, held_out: HeldOutLike) -> dict[str, Any]:
    """The description of a fit that has not begun, of a model with a seed.

    >>> from philia import SVD, as_graph
    >>> planned(SVD(2, random_state=0), as_graph([(0, 1)]), None)["model"]
    'SVD'
    """
    from philia.models.link_model import generator  # which imports this file

    fresh = copy(model)
    fresh.held_out_ = as_held_out(graph, held_out, generator(model.random_state))
    described: dict[str, Any] = _as_json(description(fresh, graph))
    return described


def _require_same(checkpoint: Checkpoint, about: dict[str, Any]) -> None:
    earlier = fit_in(checkpoint)
    if earlier is None:
        return
    other = differences(earlier["fit"], about["fit"])
    if not other and earlier["generator"] != about["generator"]:
        other.append("the random generator began elsewhere")
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
