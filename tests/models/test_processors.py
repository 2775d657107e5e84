from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.elsewhere import settings

FITS = """
import json, sys
import philia
from philia.datasets import classic, dating_app, planted

graphs = {
    "karate": classic("karate"),
    "les_miserables": classic("les_miserables"),
    "dating app": dating_app(n=200, cities=3, random_state=0).graph,
    "planted": planted(160, 4, 2, random_state=1).graph,
    "two triangles": [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)],
}
found = {}
for name, graph in graphs.items():
    model = philia.CommunityModel(random_state=0).fit(graph)
    # Two triangles are mirror images, so rounding decides between merges; a penalty on zeros means nothing.
    penalty = [model.penalty_] if model.factors_.homophilous.any() or model.factors_.heterophilous.any() else []
    numbers = [*penalty, model.solution_.value, *model.factors_.homophilous[:20].ravel()]
    groups = {group.name: sorted(map(str, group.members)) for group in model.communities()}
    found[name] = [[f"{number:.4g}" for number in numbers if number > 1e-3], groups]
json.dump(found, sys.stdout)
"""


def _found(environment: dict[str, str]) -> dict[str, object]:
    command = [sys.executable, "-c", FITS]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, **environment})
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_other_processors_find_the_same_communities_to_four_digits() -> None:
    here = _found({})
    for name, environment in settings(cache="").items():
        if name != "generic":  # graphs as small as these are never given to a compiled kernel
            assert _found(environment) == here, name
