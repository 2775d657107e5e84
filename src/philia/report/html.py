"""The report as one HTML file: template, style, scripts and payload put together. It fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from philia.exceptions import MissingDependencyError
from philia.models import LinkModel
from philia.report.codec import encoded
from philia.report.explorer import OnProgress
from philia.report.labels import LabelsLike
from philia.report.payload import payload
from philia.storage import saving

_SCRIPTS = (
    *("text.js", "elements.js", "decode.js", "theme.js", "charts.js", "tables.js", "summary.js", "quality.js"),
    *("cards.js", "overlap.js", "map.js", "communities.js", "matrix.js", "network.js", "combobox.js", "address.js"),
    *("waterfall.js", "pair.js", "explorer.js", "main.js"),
)
"""The page's scripts, each after those that it uses."""

_MARKERS = re.compile(r"/\*philia:(css|plotly|js)\*/|philia:(data)")
_SCRIPT_ELEMENTS = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def write_report(
    model: LinkModel,
    path: str | os.PathLike[str],
    *,
    labels: LabelsLike | None = None,
    title: str | None = None,
    source: str | None = None,
    on_progress: OnProgress | None = None,
) -> Path:
    """Write the report of a fitted ``CommunityModel`` to one HTML file that works offline, and return its path.

    ``labels`` are known groups to compare the communities with: a mapping from their names to their nodes, or the
    result of ``read_communities``. ``title`` is the page's heading, ``source`` names where the model comes from. For
    large graphs, ``on_progress`` is called with the number of nodes searched for missing links and their total.

    >>> import tempfile
    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> path = write_report(model, Path(tempfile.mkdtemp()) / "report.html", title="Five people")
    >>> path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    True
    """
    check_charts()
    text = page(payload(model, labels=labels, title=title, source=source, on_progress=on_progress))
    with saving(path) as file:
        file.write(text.encode("utf-8"))
    return Path(path)


def page(payload: Mapping[str, Any]) -> str:
    """The whole page.

    >>> from philia import CommunityModel
    >>> from philia.report import payload
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([("<b>", "bob"), ("bob", "cat")])
    >>> html = page(payload(model))
    >>> "<b>" in html.split('id="philia-data"')[1], "philia:data" in html
    (False, False)
    """
    folder = files("philia.report").joinpath("page")
    parts = {
        "css": guarded(folder.joinpath("page.css").read_text(encoding="utf-8"), "style"),
        "plotly": guarded(_charts_script(), "script"),
        "js": guarded("\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in _SCRIPTS), "script"),
        "data": encoded(payload),
    }
    template = folder.joinpath("page.html").read_text(encoding="utf-8")
    # In one pass, so that nothing put in is taken for a marker.
    filled = _MARKERS.sub(lambda marker: parts[marker[1] or marker[2]], template)
    return filled.replace("philia:hashes", _script_hashes(filled), 1)


def guarded(text: str, element: str) -> str:
    r"""Text that cannot close the element it is in; inside strings it keeps its meaning.

    >>> guarded("x = '</script><!-- '", "script")
    "x = '<\\/script><\\!-- '"
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")  # as a browser normalizes them before hashing
    return re.sub(rf"<(?=/{element}|!--)", r"<\\", lines, flags=re.IGNORECASE)


def check_charts() -> None:
    """Raise an error, before any work, if Plotly is not installed.

    >>> check_charts()
    """
    if find_spec("plotly") is None:
        raise MissingDependencyError(
            "a report needs the package plotly for its charts, which is not installed; pip install 'philia[report]'"
        )


def _charts_script() -> str:
    """Plotly's own script, which goes into the page.

    >>> "plotly" in _charts_script()[:200]
    True
    """
    check_charts()
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script


def _script_hashes(html: str) -> str:
    """The SHA-256 of each script, for the page's Content-Security-Policy: a browser runs no others.

    Styles cannot be listed like this. Plotly adds a style element to the page and style attributes to its drawings, so
    the policy allows inline styles, which cannot run code.

    >>> _script_hashes("<script>alert(1)</script>")
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    digests = [hashlib.sha256(script.encode()).digest() for script in _SCRIPT_ELEMENTS.findall(html)]
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
