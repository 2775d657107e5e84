"""The examples of other libraries in docs/coming_from.md find what is said there, where these are installed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import pytest
import scipy.sparse

PAGE = Path(__file__).parents[1] / "docs" / "coming_from.md"
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

SIZES: dict[str, Callable[[dict[str, Any]], list[int]]] = {
    "cdlib": lambda names: [len(community) for community in names["found"].communities],
    "infomap": lambda names: list(Counter(node.module_id for node in names["search"].nodes).values()),
    "sknetwork": lambda names: list(Counter(names["labels"].tolist()).values()),
}
"""The sizes of the groups that an example has found, from its variables."""


def example(library: str) -> str:
    blocks: list[str] = [
        block for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if f"\nfrom {library}" in f"\n{block}"
    ]
    assert len(blocks) == 1
    return blocks[0]


@pytest.mark.filterwarnings("ignore")  # those of other libraries are theirs
@pytest.mark.parametrize("library", SIZES)
def test_the_example_of_another_library_finds_what_is_said(library: str) -> None:
    pytest.importorskip(library)
    names = {"G": networkx.Graph(networkx.les_miserables_graph().edges()), "networkx": networkx, "scipy": scipy}
    exec(example(library), names)
    many, sizes = re.findall(r"^# (\d+) \w+, of ([\d, and]+)", example(library), re.MULTILINE)[0]
    said = [int(size) for size in re.findall(r"\d+", sizes)]
    assert len(said) == int(many)
    assert sorted(SIZES[library](names), reverse=True) == sorted(said, reverse=True)
