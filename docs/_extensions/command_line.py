"""A directive that writes down what ``philia COMMAND --help`` says, so that the page cannot be out of date."""

from __future__ import annotations

import os
import re
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

WIDTH = 92


class CommandHelp(SphinxDirective):
    """One section per command: its name, and its help as it is printed in a terminal."""

    def run(self) -> list[nodes.Node]:
        """The sections, in the order in which ``philia --help`` lists the commands."""
        return [part for name, text in helps().items() for part in self._section(name, text)]

    def _section(self, name: str, text: str) -> list[nodes.Node]:
        title = f"philia {name}".strip()
        section = nodes.section("", nodes.title(title, title), nodes.literal_block(text, text, language="none"))
        section["names"].append(nodes.fully_normalize_name(title))
        self.state.document.note_implicit_target(section, section)
        return [section]


def helps() -> dict[str, str]:
    """What each command says about itself; that of philia has the empty name."""
    os.environ.update({"TERMINAL_WIDTH": str(WIDTH), "COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"})
    import typer
    from typer.testing import CliRunner

    from philia.cli import app

    names = ["", *typer.main.get_group(app).commands]
    return {name: _plain(CliRunner().invoke(app, [*name.split(), "--help"]).output) for name in names}


def _plain(text: str) -> str:
    """Without colours, and without the blank ends of lines."""
    return re.sub(r"[ \t]+$", "", re.sub(r"\x1b\[[0-9;]*m", "", text), flags=re.MULTILINE).strip("\n")


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx about the directive."""
    app.add_directive("philia-help", CommandHelp)
    return {"version": "1", "parallel_read_safe": True}
