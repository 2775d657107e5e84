"""What an import loads: rooms on first use, and nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import philia

ROOMS = sorted(page.stem for page in (Path(__file__).parents[2] / "docs" / "api").glob("*.md") if page.stem != "index")
LIBRARIES = ("dask", "distributed", "matplotlib", "networkx", "numba", "pandas", "plotly", "sklearn", "torch", "typer")
HEAVY = (*LIBRARIES, "scipy.optimize", "scipy.stats")


def fresh(program: str) -> str:
    """What a program prints in a new process."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_of_the_reference_is_reached_from_philia(room: str) -> None:
    assert getattr(philia, room).__name__ == f"philia.{room}"
    assert room in dir(philia)


def test_a_room_needs_no_import_of_its_own() -> None:
    assert fresh("import philia; print(philia.factors.__name__)") == "philia.factors"


def test_importing_philia_loads_nothing_else() -> None:
    assert fresh("import sys, philia; print([name for name in sys.modules if name.startswith('philia.')])") == (
        "['philia._version']"
    )


def test_importing_a_model_loads_nothing_heavy() -> None:
    program = f"import sys; from philia import CommunityModel; print([name for name in {HEAVY} if name in sys.modules])"
    assert fresh(program) == "[]"


def test_a_star_import_brings_every_public_name() -> None:
    assert fresh("from philia import *; print(CommunityModel.__name__, as_graph.__name__)") == "CommunityModel as_graph"


@pytest.mark.parametrize("name", ["Nonsense", "nonsense", "_nonsense"])
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(philia, name)
