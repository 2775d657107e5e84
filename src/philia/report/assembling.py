"""One HTML file from the page's parts and a payload; nothing in it is fetched from anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from philia.report.charts import charts_script
from philia.report.packing import encoded
from philia.report.page import SCRIPTS

_MARKERS = re.compile(r"/\*philia:(css|plotly|js)\*/|philia:(data)")


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
    return _MARKERS.sub(lambda marker: parts[marker[1] or marker[2]], template)


def guarded(text: str, element: str) -> str:
    r"""Text that cannot end the element it stands in; inside strings it means the same.

    >>> guarded("x = '</script><!-- '", "script")
    "x = '<\\/script><\\!-- '"
    """
    return re.sub(rf"<(?=/{element}|!--)", r"<\\", text, flags=re.IGNORECASE)
