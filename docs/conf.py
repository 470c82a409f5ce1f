"""How Sphinx builds the site from docs/: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_site"), str(HERE.parent / "src")]

import tilewright  # noqa: E402  (found on the path that was just set)

project = "Tilewright"
author = "the Tilewright authors"
release = version = tilewright.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "pages",
    "player",
    "docstrings",
]
exclude_patterns = ["_site", "_build", "**.ipynb_checkpoints"]
nitpicky = True
smartquotes = False  # what stands in quotes is often to be typed, and -- opens an option

# Markdown as a code host shows it: anchors for headings, images and HTML alike.
myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 4
# A heading may be two levels below the one before it, as below the commands of a how-to.
suppress_warnings = ["myst.header"]

# The tutorial's outputs are made when the site is, or by `-D nb_execution_mode=off` not at all.
nb_execution_mode = "force"
nb_execution_excludepatterns = ["learn/*"]  # exercises are for the reader to run
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
nb_output_stderr = "remove"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_use_rtype = False
napoleon_use_ivar = True
# Types of annotations, which have no page of their own.
nitpick_ignore_regex = [("py:.*", ".*")]

html_theme = "furo"
html_title = "Tilewright"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_js_files = [("named.js", {"defer": "defer"})]
html_search_scorer = str(HERE / "_site" / "scorer.js")
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fd0", "color-brand-content": "#1f5fd0"},
    "dark_css_variables": {"color-brand-primary": "#7fabf8", "color-brand-content": "#7fabf8"},
    "footer_icons": [],
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

# Nothing comes from the network.
nb_ipywidgets_js = {}
