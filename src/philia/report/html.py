"""The report as one HTML file: everything it shows, as plain values (the payload), and the page around them.

The page fetches nothing; no name in the payload can be taken for markup.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
from collections.abc import Mapping
from datetime import date
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._text import counted, spelled, to_json
from philia._version import __version__
from philia.exceptions import MissingDependencyError
from philia.models import LinkModel
from philia.report.attributes import AttributesLike, Known
from philia.report.communities import cards, shared_members
from philia.report.drawing import drawing
from philia.report.explorer import BYTES, OnProgress, choose, explorer
from philia.report.findings import Findings, LabelsLike
from philia.report.levels import levels
from philia.report.matrix import matrix
from philia.report.quality import JudgedPairs, hidden_pairs, quality
from philia.report.summary import summary
from philia.report.thousands import thousands
from philia.storage import saving

_VERSION = 1
"""The version of the payload's format, which the page checks."""

_SCRIPTS = (
    *("text.js", "elements.js", "decode.js", "theme.js", "charts.js", "tables.js", "summary.js", "quality.js"),
    *(
        "downloads.js",
        "names.js",
        "pens.js",
        "scenes.js",
        "colorings.js",
        "drawing.js",
        "cards.js",
        "overlap.js",
        "levels.js",
        "tree.js",
        "communities.js",
        "matrix.js",
        "network.js",
        "sparse_network.js",
        "combobox.js",
        "address.js",
        "nodes.js",
        "attributes.js",
    ),
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
    attributes: AttributesLike | None = None,
    title: str | None = None,
    source: str | None = None,
    on_progress: OnProgress | None = None,
) -> Path:
    """Write the report of a fitted ``CommunityModel`` to one HTML file that works offline, and return its path.

    ``labels`` are known groups to compare the communities with: a mapping from their names to their nodes, or the
    result of ``read_communities``. ``attributes`` are what else is known about nodes: for each attribute a mapping from
    nodes to values, a pandas frame with the nodes as its index, or the result of ``read_attributes``.
    ``title`` is the page's heading, ``source`` names where the model comes from. For large graphs,
    ``on_progress`` is called with the number of nodes searched for missing links and their total.

    >>> import tempfile
    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> path = write_report(model, Path(tempfile.mkdtemp()) / "report.html", title="Five people")
    >>> path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    True
    """
    check_charts()
    text = page(
        payload(model, labels=labels, attributes=attributes, title=title, source=source, on_progress=on_progress)
    )
    with saving(path) as file:
        file.write(text.encode("utf-8"))
    return Path(path)


def payload(
    model: LinkModel,
    *,
    labels: LabelsLike | None = None,
    attributes: AttributesLike | None = None,
    title: str | None = None,
    source: str | None = None,
    on_progress: OnProgress | None = None,
    budget: float = BYTES,
) -> dict[str, Any]:
    """Everything that the report of a model shows, as plain values that JSON can hold.

    ``labels`` are known groups, as ``read_communities`` returns them, ``attributes`` values of nodes, as
    ``read_attributes`` does; ``source`` names where the model comes from.
    ``on_progress`` is called with the number of nodes searched for missing links and their total; for a small graph,
    which needs no search, it is not called. ``budget`` is the approximate size in bytes of the nodes that can be
    looked up.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> found = payload(model, labels={"left": [1, 2], "right": [4]})
    >>> found["graph"]["links"], found["communities"][0]["label"]["name"]
    (4, 'left')
    """
    found = Findings.of(model)
    judged = JudgedPairs.of(found.model)
    known = Known.of(found, labels, attributes)
    sections = thousands if found.sparse else _few
    return {
        "version": _VERSION,
        "title": title or heading(found, source),
        "made": {"philia": __version__, "date": date.today().isoformat(), "source": source},
        **summary(found, judged, known),
        "quality": quality(judged),
        "hidden": hidden_pairs(found.model),
        "in_none": int(np.count_nonzero(found.communities_per_node == 0)),
        "left_out": dict(found.communities.left_out),
        "rule": found.communities.rule,
        "finer": len(found.communities.finer),
        **_packed(sections(found, known, budget, on_progress)),
    }


def heading(found: Findings, source: str | None) -> str:
    """What the page is about, and the main finding: the name of the file in readable form, and the communities.

    >>> from philia import CommunityModel
    >>> found = Findings.of(CommunityModel(random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)]))
    >>> heading(found, "our_village.safetensors"), heading(found, None)
    ('Our village, in no communities', 'A network of 5 nodes, in no communities')
    """
    words = "" if source is None else " ".join(re.split(r"[\s_-]+", Path(source).stem)).strip()
    name = words[:1].upper() + words[1:] if words else f"A network of {counted(found.graph.n_nodes, 'node')}"
    groups = len(found.communities)
    return f"{name}, in {spelled(groups)} {'community' if groups == 1 else 'communities'}"


def _few(found: Findings, known: Known, budget: float, on_progress: OnProgress | None) -> dict[str, Any]:
    """The sections about communities that can all be shown at once, and about pairs of nodes."""
    choice = choose(found, budget)
    shared, index = shared_members(found.memberships), np.full(found.graph.n_nodes, -1, dtype=np.int64)
    index[choice.rows] = np.arange(len(choice.rows))
    return {
        "communities": cards(found, shared, known, index),
        "attributes": known.section(found, choice.rows),
        "drawing": drawing(found, index),
        "levels": levels(found),
        "overlap": {
            "names": [community.name for community in found.communities],
            "shared": shared.tolist(),
        },
        "matrix": matrix(found.graph, found.factors, found.read),
        "explorer": explorer(found, choice, on_progress),
    }


def packed(array: npt.NDArray[Any]) -> dict[str, Any]:
    """An array as its type, its shape and its bytes in base64: a quarter of the size of its digits.

    >>> packed(np.array([[1, 2]], dtype=np.uint16))
    {'dtype': 'u2', 'shape': [1, 2], 'data': 'AQACAA=='}
    """
    values = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return {
        "dtype": values.dtype.str[1:],
        "shape": list(values.shape),
        "data": base64.b64encode(values.tobytes()).decode(),
    }


def _packed(section: Any) -> Any:
    """A section of the payload, with its arrays packed."""
    if isinstance(section, np.ndarray):
        return packed(section)
    if isinstance(section, list):
        return [_packed(part) for part in section]
    return {name: _packed(part) for name, part in section.items()} if isinstance(section, dict) else section


def unpacked(array: Mapping[str, Any]) -> npt.NDArray[Any]:
    """The inverse of ``packed``.

    >>> unpacked(packed(np.array([[1, 2]], dtype=np.uint16))).tolist()
    [[1, 2]]
    """
    values = np.frombuffer(base64.b64decode(array["data"]), dtype=f"<{array['dtype']}")
    return values.reshape(array["shape"])


def encoded(payload: Mapping[str, Any]) -> str:
    """A payload as compressed JSON in base64: no name in it can close the element it is in, or run as a script.

    >>> encoded({"title": "</script>"}).isascii(), decoded(encoded({"title": "</script>"}))
    (True, {'title': '</script>'})
    """
    # ASCII only: half of a surrogate pair, which a damaged name may contain, has no UTF-8 encoding.
    text = to_json(payload, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0)).decode()


def decoded(text: str) -> dict[str, Any]:
    """The inverse of ``encoded``, as the page does it."""
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


def page(contents: Mapping[str, Any]) -> str:
    """The whole page around a payload.

    >>> from philia import CommunityModel
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
        "data": encoded(contents),
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
    """Raise an error, before any work, if Plotly or igraph is not installed.

    >>> check_charts()
    """
    for package, purpose in (("plotly", "charts"), ("igraph", "drawing of the network")):
        if find_spec(package) is None:
            raise MissingDependencyError(
                f"a report needs the package {package} for its {purpose}, which is not installed; "
                "pip install 'philia[report]'"
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
