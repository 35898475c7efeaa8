"""The site: the pages of docs, and the reference of the public headers. scripts/docs.sh makes it."""

import pathlib

root = pathlib.Path(__file__).parents[2]

project = "Halyard"
extensions = ["breathe", "myst_parser"]
exclude_patterns = ["site"]

html_theme = "furo"
html_title = "Halyard"
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]

# Examples leave out code with "…", and highlighters do not know MLIR.
suppress_warnings = ["misc.highlighting_failure"]

# Titles can be linked to, as on a forge.
myst_heading_anchors = 4

# What Doxygen read of the headers.
breathe_projects = {"c": str(root / "build/docs/c"), "cpp": str(root / "build/docs/cpp")}
breathe_default_project = "c"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
primary_domain = "c"


def check_reference(app):
    """A header of the C API that no page of the reference names is an error."""
    pages = "".join(page.read_text() for page in (root / "docs/reference").glob("*.md"))
    for header in (root / "include/halyard").glob("*.h"):
        if f"{{doxygenfile}} {header.name}\n" not in pages:
            raise RuntimeError(f"No page in docs/reference shows {header.name}.")


def setup(app):
    app.connect("builder-inited", check_reference)
