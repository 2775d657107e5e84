"""One HTML file from the page's parts and a payload; nothing in it is fetched from anywhere."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from philia.report.charts import charts_script
from philia.report.packing import encoded
from philia.report.page import SCRIPTS

_MARKERS = re.compile(r"/\*philia:(css|plotly|js)\*/|philia:(data)")
_SCRIPTS = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def page(payload: Mapping[str, Any]) -> str:
    """The whole page.

    >>> from philia import CommunityModel
    >>> from philia.report import payload
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([("<b>", "bob"), ("bob", "cat")])
    >>> html = page(payload(model))
    >>> "<b>" in html.split('id="philia-data"')[1], "philia:data" in html
    (False, False)
    """
    folder = files("philia.report.page")
    parts = {
        "css": guarded(folder.joinpath("page.css").read_text(encoding="utf-8"), "style"),
        "plotly": guarded(charts_script(), "script"),
        "js": guarded("\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS), "script"),
        "data": encoded(payload),
    }
    template = folder.joinpath("page.html").read_text(encoding="utf-8")
    # In one pass, so that nothing put in is taken for a marker.
    filled = _MARKERS.sub(lambda marker: parts[marker[1] or marker[2]], template)
    return filled.replace("philia:hashes", script_hashes(filled), 1)


def script_hashes(html: str) -> str:
    """The page's own scripts by their SHA-256, for its Content-Security-Policy: a browser runs no others.

    Styles cannot be listed like this. Plotly adds a style element to the page and style attributes to its drawings, so
    the policy allows inline styles, which run nothing.

    >>> script_hashes("<script>alert(1)</script>")
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    digests = [hashlib.sha256(script.encode()).digest() for script in _SCRIPTS.findall(html)]
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def guarded(text: str, element: str) -> str:
    r"""Text that cannot end the element it stands in; inside strings it means the same.

    >>> guarded("x = '</script><!-- '", "script")
    "x = '<\\/script><\\!-- '"
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")  # as a browser reads them, before it takes their hash
    return re.sub(rf"<(?=/{element}|!--)", r"<\\", lines, flags=re.IGNORECASE)
