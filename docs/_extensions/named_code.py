"""Code in a text that is a public name leads to the reference: `Graph`, `plots.waterfall`, `model.explain(u, v)`.

So pages stay plain Markdown. A bare word such as `load` or `selection` may mean anything and stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes

_NAME = re.compile(r"(?:philia\.)?((?:\w+\.)*\w+)(?:\(.*\))?")
_MODELS = ("philia.models.CommunityModel", "philia.models.LinkModel")


def documented(code: str, objects: dict[str, Any]) -> str | None:
    """The full name of what a piece of code speaks of, if it is one documented object and no other.

    >>> objects = {"philia.graphs.as_graph": 1, "philia.plots.selection": 2, "philia.models.LinkModel.fit": 3}
    >>> documented("philia.as_graph(x)", objects), documented("plots.selection", objects)
    ('philia.graphs.as_graph', 'philia.plots.selection')
    >>> documented("model.fit(links)", objects), documented("selection", objects)
    ('philia.models.LinkModel.fit', None)
    """
    match = _NAME.fullmatch(code)
    if match is None:
        return None
    name = match[1]
    if name.startswith("model."):
        return next((full for home in _MODELS if (full := f"{home}.{name[6:]}") in objects), None)
    if "." not in name and not code.startswith("philia.") and not re.search(r"[A-Z].*[a-z]|[a-z]_[a-z]|[A-Z]{3}", name):
        return None
    found = {full for full in objects if re.fullmatch(rf"philia\.(\w+\.)?{re.escape(name)}", full)}
    if code.startswith("philia.") and "." not in name:  # philia.load is that of a model
        found = {full for full in found if full.startswith(("philia.models.", "philia.graphs."))}
    return found.pop() if len(found) == 1 else None


def link_names(app: Any, doctree: nodes.document, page: str) -> None:
    """Put links around code that is a public name, unless it is in a heading or in a link already."""
    from docutils import nodes
    from sphinx.util.nodes import make_refnode

    objects = app.env.domains["py"].objects
    for literal in list(doctree.findall(nodes.literal)):
        parent = literal.parent
        if (
            isinstance(parent, (nodes.reference, nodes.title))
            or (name := documented(literal.astext(), objects)) is None
        ):
            continue
        entry = objects[name]
        parent.replace(literal, make_refnode(app.builder, page, entry.docname, entry.node_id, literal.deepcopy(), name))


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx to call this when all pages are read."""
    app.connect("doctree-resolved", link_names)
    return {"version": "1", "parallel_read_safe": True}
