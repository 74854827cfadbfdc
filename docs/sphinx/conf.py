"""Settings of Sphinx for the documentation as a site; `docs/build_site.py` runs it."""

import re
from typing import Any

import weft

project = "Weft"
version = release = weft.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
add_module_names = False
html_theme = "furo"
html_title = f"Weft {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_favicon = "../../web/public/icon.svg"
templates_path: list[str] = []


def shorten_defaults(*event: Any) -> tuple[str | None, str | None]:
    """Show a default that is a record by its name alone, as in `selection=Selection()`."""
    *_, signature, returns = event
    return re.sub(
        r"=([A-Z]\w+)\((?:[^()]|\([^()]*\))*\)", r"=\1()", signature or ""
    ) or None, returns


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", shorten_defaults)
