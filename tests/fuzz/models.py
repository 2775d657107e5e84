"""Mutated model files of every class: damage is noticed, and what is signed anew can be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from philia import as_graph, load
from philia.exceptions import PhiliaError
from philia.models import MODELS, CommunityModel, LinkModel
from philia.pairs import BothPairs, ListedPairs, RandomPairs
from tests.fuzz.harness import Target, shuffled_bytes
from tests.fuzz.signed_files import changed_header, is_signed

_LINKS = [(a, b) for a in range(14) for b in range(a) if (a * b + a) % 5 == 0 or a - b == 1]
_ORIGINALS: dict[str, bytes] = {}


def _examples(folder: Path) -> Sequence[Path]:
    named = as_graph([(f"n{a}", f"n{b}") for a, b in _LINKS])
    weighted = as_graph([(a, b, 1.5 + a) for a, b in _LINKS], weights=True)
    some = BothPairs(RandomPairs(0.2, seed=3), ListedPairs(named, [("n1", "n0")]))
    fits: dict[str, LinkModel] = {
        "chosen": CommunityModel(random_state=0).fit(named, held_out=some),
        "weighted": CommunityModel(2, 1, penalty=1, random_state=0).fit(weighted),
    }
    fits["weighted"].stability(2)
    for name, kind in MODELS.items():
        fits[name] = kind(random_state=0).fit(as_graph(_LINKS))
    paths = []
    for name, model in fits.items():
        path = folder / f"{name}.safetensors"
        model.save(path)
        _ORIGINALS[f"input-{path.name}"] = path.read_bytes()
        paths.append(path)
    return paths


def _mutate(content: bytes, rng: np.random.Generator) -> bytes:
    return shuffled_bytes(content, rng) if rng.random() < 0.4 else changed_header(content, rng)


def _read(path: Path) -> str:
    model = load(path)
    if not is_signed(path.read_bytes()):
        original = path.with_name("original.safetensors")
        original.write_bytes(_ORIGINALS[path.name])
        _require_equal(model, load(original))
        return "the same"
    names = list(model.graph_.nodes)
    use: tuple[Any, ...] = (
        lambda: model.predict_proba([(names[0], names[-1])]),
        model.communities,
        model.features,
        lambda: model.top_links(count=2),
        lambda: model.save(path.with_name("again.safetensors")),
    )
    for do in use:
        try:
            do()
        except PhiliaError:
            return "loaded, refused when used"
    return "loaded and used"


def _require_equal(one: LinkModel, two: LinkModel) -> None:
    assert one.get_params() == two.get_params(), "other settings"
    assert one.solution_.value == two.solution_.value or np.isnan(two.solution_.value), "another loss"
    assert np.array_equal(one.solution_.history, two.solution_.history), "another course"
    a, b = one.factors_.arrays(), two.factors_.arrays()
    assert a.keys() == b.keys(), "other factors"
    assert all(np.array_equal(a[name], b[name]) for name in a), "other factors"
    assert one.graph_.nodes == two.graph_.nodes, "other nodes"
    assert (one.graph_.adjacency != two.graph_.adjacency).nnz == 0, "another graph"
    held_out = [None if m.held_out_ is None else m.held_out_.pairs(m.graph_.n_nodes) for m in (one, two)]
    assert np.array_equal(*held_out), "other pairs held out"  # type: ignore[arg-type]


TARGET = Target("models", _examples, _read, _mutate)
