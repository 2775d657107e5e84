"""A small network with a known structure, and a model of it."""

from __future__ import annotations

import pytest

from philia.datasets import DatingApp, dating_app
from philia.models import CommunityModel


@pytest.fixture(scope="session")
def app() -> DatingApp:
    return dating_app(120, cities=3, random_state=0)


@pytest.fixture(scope="session")
def model(app: DatingApp) -> CommunityModel:
    return CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
