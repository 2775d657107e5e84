"""The report's page: HTML with markers, its style, and its scripts, each one idea."""

from __future__ import annotations

SCRIPTS = (
    "text.js",
    "elements.js",
    "decode.js",
    "theme.js",
    "charts.js",
    "tables.js",
    "summary.js",
    "quality.js",
    "cards.js",
    "overlap.js",
    "map.js",
    "communities.js",
    "matrix.js",
    "network.js",
    "combobox.js",
    "address.js",
    "waterfall.js",
    "pair.js",
    "explorer.js",
    "main.js",
)
"""The scripts in the order in which they stand in the page: what is used comes before what uses it."""
