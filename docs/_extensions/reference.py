"""The reference: a directive that documents the names of a room, in the order in which its page lists them.

    ```{names} philia.graphs
    Graph
    as_graph
    ```

Such a list can also be read as it is. ``*MODELS`` stands for all keys of that table which the page does not list
itself, so a new model needs no line here. A name is documented once: ``philia.Graph``, ``philia.graphs.Graph`` and
``philia.graphs.graph.Graph`` all lead there.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy.typing as npt
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import stringify_annotation

from philia import _types

_CODE = re.compile(r"(``.+?``)")
_ALIASES = {name: alias for name, alias in vars(_types).items() if name.endswith("Array")}
_ALIASES["Array"] = npt.NDArray[Any]
_ARRAYS = {stringify_annotation(alias, "smart"): name for name, alias in _ALIASES.items()}


class Names(SphinxDirective):
    """Public names of one room, each documented from its docstring."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """What autodoc makes of the names; a table or an alias is told by the text behind its name."""
        room = self.arguments[0]
        lines = [f".. py:currentmodule:: {room}", ""]
        page = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8")
        for line in filter(None, self.content):
            for listed in expanded(room, line, page):
                name, _, told = listed.partition(":")
                lines += [*_documented(name, getattr(import_module(room), name), told.strip()), ""]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def expanded(room: str, line: str, page: str) -> list[str]:
    """The line itself, or the names that ``*TABLE`` stands for."""
    if not line.startswith("*"):
        return [line]
    return [name for name in getattr(import_module(room), line[1:]) if f"\n{name}\n" not in page]


def _documented(name: str, thing: Any, told: str) -> list[str]:
    if inspect.isclass(thing):
        ours = any(base.__module__.startswith("philia.") for base in thing.__bases__)
        return [f".. autoclass:: {name}", "   :members:", *["   :show-inheritance:"] * ours]
    if inspect.isroutine(thing):
        return [f".. autofunction:: {name}"]
    return [f".. py:data:: {name}", "", f"   {told}"]


def plain_bars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """In docstrings |x| is a size, not a substitution."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = _CODE.split(line)
            lines[number] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)


def short_arrays(
    app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """In signatures an array is called as in the code: ``Float64Array``, not all that NumPy has to say about it."""
    return _arrays_named(signature), _arrays_named(result)


def _arrays_named(text: str | None) -> str | None:
    for written, name in _ARRAYS.items():
        text = text and text.replace(written, name)
    return text


def without_routing(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out scikit-learn's ``set_fit_request`` and the like: they are there, and nobody needs them."""
    return True if re.fullmatch(r"set_\w+_request", name.rpartition(".")[2]) else None


def lead(app: Any, env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """A link to the place where a name is documented; a name of our own that is not public stays plain text."""
    target = str(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or not target.startswith("philia."):
        return None
    wanted = _found(target)
    for name, entry in env.domains["py"].objects.items():
        if name.endswith("." + target.rpartition(".")[2]) and wanted is not None and _found(name) is wanted:
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)
    return content if wanted is not None else None


def _found(name: str) -> Any:
    """What the name stands for: a module, or something in one."""
    room, _, last = name.rpartition(".")
    try:
        return getattr(import_module(room), last)
    except (ImportError, AttributeError, ValueError):
        return None


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx about the directive and the rules."""
    app.add_directive("names", Names)
    app.connect("autodoc-process-docstring", plain_bars)
    app.connect("autodoc-process-signature", short_arrays)
    app.connect("autodoc-skip-member", without_routing)
    app.connect("missing-reference", lead)
    return {"version": "1", "parallel_read_safe": True}
