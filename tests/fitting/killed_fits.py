"""Fits that were killed before they finished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from philia import CommunityModel
from philia.datasets import planted
from philia.fitting import Checkpoint, checkpoint
from philia.graphs import Graph
from philia.models import LinkModel
from philia.solvers import LBFGSB, Progress
from philia.storage.tensors import read_arrays, write_arrays


class Killed(BaseException):
    """Ends a fit before it is finished, as a signal would."""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are written all the time, at any cost."""
    monkeypatch.setattr(checkpoint, "EVERY", 0.05)
    monkeypatch.setattr(checkpoint, "_SHARE", 1e9)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return planted(120, 3, 2, degree=10, random_state=0).graph


def same(one: LinkModel, two: LinkModel) -> bool:
    """Whether two fits have the same factors and the same history, bit for bit."""
    a, b = one.factors_.arrays(), two.factors_.arrays()
    equal = all(np.array_equal(a[name], b[name]) for name in a | b)
    return equal and np.array_equal(one.solution_.history, two.solution_.history)


FAST = CommunityModel(2, 1, penalty=1, solver=LBFGSB(20), random_state=0)


def left_by(model: LinkModel, graph: Graph, folder: Path, after: int = 10, **fitting: Any) -> Path:
    """The folder of a fit that was killed after some iterations, with all its records."""

    def on_iteration(progress: Progress) -> None:
        if progress.iteration == after:
            raise Killed

    with pytest.raises(Killed):
        clone(model).fit(graph, checkpoint=Checkpoint(folder, every=0.0), on_iteration=on_iteration, **fitting)
    return folder


def signed(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    """Change the arrays and the header of a file, and write a matching checksum."""
    arrays, header = read_arrays(path)
    change(arrays, header)
    write_arrays(path, arrays, header)
