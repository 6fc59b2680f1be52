"""How Sphinx builds the site: ``make docs``. No page asks another host for anything."""

from __future__ import annotations

import os
import sys
import tomllib
import warnings
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS), str(DOCS / "_ext")]
# two examples run at a time, each on one core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "2")

from sphinx_gallery.sorting import ExplicitOrder  # noqa: E402

import gallery  # noqa: E402
from eigenselect import __version__  # noqa: E402

project = "eigenselect"
author = "The eigenselect developers"
copyright = author
version = release = __version__
language = "en"
smartquotes = False  # "knn" is to be typed

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "local_mathjax",
    "repository_links",
]
exclude_patterns = [
    "_build",
    "_templates",
    "_static",
    "_ext",
    "images",
    "**/GALLERY_HEADER.rst",
    "sg_execution_times.rst",
]
templates_path = ["_templates"]
nitpicky = True
#: pages may come later: a pattern of a toctree that finds none is no mistake
suppress_warnings = ["toc.empty_glob", "config.cache"]

# Markdown
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# the reference
autosummary_generate = True
autosummary_generate_overwrite = True
autosummary_ignore_module_all = False
autosummary_filename_map = {"eigenselect.selection.knee": "eigenselect.selection.knee-function"}
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_class_signature = "mixed"
default_role = "public_name"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
numpydoc_citation_re = r"[\w-]+"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# literature
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "unsrt"
bibtex_reference_style = "author_year"

# tutorials and gallery: whatever scripts there are
_GALLERIES = {"tutorials": "tutorials", "gallery": "auto_examples"}
_found = {
    ROOT / "examples" / name: DOCS / made for name, made in _GALLERIES.items() if (ROOT / "examples" / name).is_dir()
}
for _made in {DOCS / made for made in _GALLERIES.values()} - set(_found.values()):
    _made.mkdir(exist_ok=True)
    (_made / "index.rst").write_text(f"{_made.name}\n{'=' * len(_made.name)}\n\nNo scripts are here.\n")
sphinx_gallery_conf = {
    "examples_dirs": [str(path) for path in _found],
    "gallery_dirs": [path.name for path in _found.values()],
    "filename_pattern": r"/plot_",
    "subsection_order": ExplicitOrder([*(f"../examples/gallery/{name}" for name in gallery.SECTIONS), "*"]),
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "backreferences",
    "doc_module": ("eigenselect",),
    "prefer_full_module": set(),
    "parallel": 2,
    "abort_on_example_error": False,
    "reset_modules": ("matplotlib", "gallery.set_style"),
    "capture_repr": ("_repr_html_",),
    "image_srcset": ["2x"],
    "thumbnail_size": (400, 280),
    "min_reported_time": 5,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
}

# the look
html_theme = "pydata_sphinx_theme"
html_title = "eigenselect"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "install": []}
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo_dark.svg",
        "text": "eigenselect",
        "alt_text": "",
    },
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": True,
}
_urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
if _repository := next((_urls[name] for name in ("Repository", "Source", "Source code") if name in _urls), None):
    html_theme_options["icon_links"] = [{"name": "Source code", "url": _repository, "icon": "fa-solid fa-code-branch"}]

# external links, only by `make docs-links`, where there is a network
linkcheck_anchors = False
linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_workers = 4
linkcheck_allowed_redirects = {r"https://doi\.org/.*": r".*"}

warnings.filterwarnings("error", category=SyntaxWarning)
