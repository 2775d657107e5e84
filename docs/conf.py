"""How the site is built: ``make docs``.

The source folder is the whole repository, so every page has the same path on the site as in the repository, and
relative links work in both.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs" / "_extensions"), str(ROOT / "src")]

from philia import __version__  # noqa: E402  (found through the path above)

# A package of the theme turns on every library's log; a build should report problems and nothing else.
logging.getLogger("philia").setLevel(logging.WARNING)

project = "philia"
author = "The philia developers"
version = release = __version__
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "command_line",
    "mathml",
    "named_code",
    "reference",
    "tutorial_links",
]
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "STYLE.md",
    "VISION.md",
    "benchmarks/**.md",
    "docs/**.md",
    "build/tutorials/**.rst",
    "build/gallery/**.rst",
]
exclude_patterns = [".*", "build/docs", "build/doctrees", "src", "tests"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "none"
highlight_options = {"python": {"stripnl": True}}  # doctest needs a blank line at the end, readers do not
pygments_dark_style = "github-dark"
nitpicky = True
# Only philia's own names can be resolved without a network; those of Python, NumPy and others stay plain text.
nitpick_ignore_regex = [("py:.*", r"(?!philia\.).*")]

# Markdown: headings are anchors and formulas are $…$ or blocks of ```math, as on a code host.
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
html_math_renderer = "mathml"
myst_links_external_new_tab = False

# The reference: the names in __all__ of each room, in the order of its file.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

# Tutorials and the gallery: scripts that are executed while the site is built, and can be downloaded as scripts and
# notebooks. They may use neither a network nor data of this machine; tests/test_examples.py checks their output.
os.environ.pop("PHILIA_DATA", None)
os.environ.update(dict.fromkeys(("http_proxy", "https_proxy", "ftp_proxy"), "http://127.0.0.1:9"))
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / folder) for folder in ("tutorials", "gallery")],
    "gallery_dirs": [str(ROOT / "build" / folder) for folder in ("tutorials", "gallery")],
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = "philia"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["philia.css"]
html_additional_pages = {"index": "start.html"}
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_search_summary = False  # it fetches pages, which browsers do not allow for files on disk
html_theme_options = {"navigation_with_keys": True}
