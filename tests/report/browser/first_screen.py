"""Take the README's picture of the report again: ``python -m tests.report.browser.first_screen``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from philia.datasets import classic
from philia.models import CommunityModel
from philia.report import write_report
from tests.report.browser.visits import chromium

PICTURE = Path(__file__).parents[3] / "docs" / "pictures" / "report.png"


def take(picture: Path) -> None:
    """Save what a window of 1280 × 900 pixels shows of the report on Les Misérables."""
    model = CommunityModel(random_state=0).fit(classic("les_miserables"))
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = write_report(model, Path(folder) / "report.html", title="Les Misérables")
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=picture)


if __name__ == "__main__":
    take(PICTURE)
