"""A report opened in a real browser, which records everything that a page should not do."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True)
class Visit:
    """A page with what it complained of: errors, warnings, and everything it asked the network for."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"request: {url}")


@dataclass(frozen=True)
class Visitor:
    """Opens reports, and fails on leaving if any of them complained."""

    browser: Browser
    visits: list[Visit] = field(default_factory=list)

    def open(
        self,
        report: Path,
        address: Mapping[str, str] | None = None,
        *,
        width: int = 1200,
        scheme: Literal["light", "dark"] = "light",
    ) -> Page:
        context = self.browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        visit = Visit(context.new_page())
        visit.listen()
        self.visits.append(visit)
        visit.page.goto(report.as_uri() + (f"#{urlencode(address)}" if address else ""))
        visit.page.wait_for_selector("html[data-ready]", timeout=20_000)
        return visit.page

    def leave(self) -> None:
        for visit in self.visits:
            visit.page.context.close()
        assert [complaint for visit in self.visits for complaint in visit.complaints] == []


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of this machine. Without one the tests are skipped, except in CI, where they fail."""
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None and os.environ.get("CI"):
        pytest.fail(f"no browser was found; the report's tests need one of {', '.join(_BROWSERS)}")
    if path is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_SWITCHES))
        yield browser
        browser.close()


def wait_until(page: Page, condition: str, argument: object = None) -> None:
    """Wait for a condition, asked from here: the page's policy forbids Playwright's own polling inside of it."""
    deadline = time.monotonic() + 20
    while not page.evaluate(condition, argument):
        if time.monotonic() > deadline:
            raise TimeoutError(f"still not true after 20 s: {condition}")
        time.sleep(0.02)


def go(page: Page, address: Mapping[str, str]) -> None:
    """Change the address of an open report, as a followed link would, and wait until the node is there."""
    page.evaluate("fragment => { location.hash = fragment }", urlencode(address))
    wait_until(page, "name => document.querySelector('.about bdi').textContent === name", address["node"])


def saved(page: Page, button: str) -> bytes:
    """What a button saves."""
    with page.expect_download() as found:
        page.get_by_role("button", name=button, exact=True).first.click()
    return Path(found.value.path()).read_bytes()


def open_details(page: Page) -> None:
    """Open everything that is folded, and wait for it: tables are made when they are first opened."""
    page.evaluate("document.querySelectorAll('details').forEach(folded => { folded.open = true })")
    wait_until(page, "[...document.querySelectorAll('details.numbers')].every(open => open.querySelector('table, ul'))")
