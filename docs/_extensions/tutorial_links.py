"""A link to a script of a tutorial or of the gallery leads, on the site, to the page that was made by running it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes

FOLDERS = ("tutorials", "gallery")


def page_of(target: str, pages: set[str]) -> str | None:
    """The page of a script, or of all scripts in a folder for its README; None for any other file.

    >>> pages = {"build/tutorials/index", "build/tutorials/plot_1"}
    >>> page_of("../examples/tutorials/plot_1.py", pages), page_of("/examples/tutorials/README.rst", pages)
    ('build/tutorials/plot_1', 'build/tutorials/index')
    >>> page_of("../examples/other.py", pages)
    """
    path = PurePosixPath(target)
    if path.parent.name not in FOLDERS or path.parent.parent.name != "examples":
        return None
    page = f"build/{path.parent.name}/{'index' if path.stem == 'README' else path.stem}"
    return page if page in pages else None


def link_pages(app: Any, doctree: nodes.document, page: str) -> None:
    """Turn downloads of scripts into links to their pages."""
    from sphinx import addnodes
    from sphinx.util.nodes import make_refnode

    for download in list(doctree.findall(addnodes.download_reference)):
        target = page_of(download["reftarget"], app.env.found_docs)
        if target is not None:
            download.replace_self(make_refnode(app.builder, page, target, "", download.children, target))


def find_page(app: Any, doctree: nodes.document) -> None:
    """The README of a folder of scripts would be a page if it were one of the site; that page is another."""
    from sphinx import addnodes

    for reference in doctree.findall(addnodes.pending_xref):
        for folder in FOLDERS:
            if reference.get("reftarget") == f"examples/{folder}/README":
                reference["reftarget"] = f"build/{folder}/index"


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx to call these when a page is read, and when all are."""
    app.connect("doctree-read", find_page)
    app.connect("doctree-resolved", link_pages)
    return {"version": "1", "parallel_read_safe": True}
