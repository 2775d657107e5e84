"""The script that draws the charts: Plotly's own, which goes into the page."""

from __future__ import annotations

from importlib.util import find_spec

from philia.exceptions import MissingDependencyError


def check_charts() -> None:
    """Complain, before any work, if the charts cannot be drawn.

    >>> check_charts()
    """
    if find_spec("plotly") is None:
        raise MissingDependencyError(
            "a report needs the package plotly for its charts, which is not installed; pip install 'philia[report]'"
        )


def charts_script() -> str:
    """The whole script, as text.

    >>> "plotly" in charts_script()[:200]
    True
    """
    check_charts()
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script
