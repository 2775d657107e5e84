"""Formulas as MathML, which browsers render themselves: the site needs neither a script, a font nor a network.

docutils, which Sphinx is built on, converts TeX to MathML. On a code host the same Markdown is rendered by MathJax.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_log = logging.getLogger(__name__)


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    _write(writer, node, as_block=False)


def displayed(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on its own line; a wide one scrolls by itself."""
    writer.body.append('<div class="formula">')
    _write(writer, node, as_block=True, after="</div>\n")


def _write(writer: Any, node: nodes.Element, *, as_block: bool, after: str = "") -> None:
    try:
        writer.body.append(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        _log.warning("this formula is not understood (%s): %s", error, node.astext(), location=node)
    writer.body.append(after)
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx about the renderer; conf.py chooses it."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    return {"version": "1", "parallel_read_safe": True}
