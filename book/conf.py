"""Settings of the book. What they switch on lives in ``extensions/``."""

import os
import sys
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  reads the fonts once: a cell would say so on stderr

from jaxvstorch._frameworks.limits import HANGING

sys.path.insert(0, str(Path(__file__).parent))
# The kernels that run the pages inherit this: JAX must not take a whole GPU for itself.
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
# torch.profiler says to stderr when it starts and stops, and output on stderr is a warning.
os.environ["KINETO_LOG_LEVEL"] = "7"
# PyTorch warns of what it does itself, from 2.14 on by a warning that is shown; and each time that
# it compiles on Python 3.13.0.
os.environ["PYTHONWARNINGS"] = (
    "ignore:`torch.jit.script` is deprecated:FutureWarning,"
    "ignore:Guards may run slower on Python 3.13.0:RuntimeWarning,"
    "ignore:IProgress not found"  # by tqdm, which transformers imports
)
os.environ["MATPLOTLIBRC"] = str(Path(__file__).with_name("matplotlibrc"))

# Where the book and its code are published; every absolute link is made from these two.
site = "https://jaxvstorch.github.io/jaxvstorch/"
repository = "https://github.com/jaxvstorch/jaxvstorch"

project = "jaxvstorch"
author = "the jaxvstorch maintainers"
copyright = "the jaxvstorch maintainers. Prose: CC BY 4.0. Code: Apache-2.0"

extensions = [
    "myst_nb",
    "notfound.extension",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_sitemap",
    "sphinxext.opengraph",
    "extensions.columns",
    "extensions.cost",
    "extensions.definitions",
    "extensions.diagram",
    "extensions.errors",
    "extensions.explanations",
    "extensions.failed_cells",
    "extensions.folds",
    "extensions.hanging_indents",
    "extensions.kernels",
    "extensions.kept_outputs",
    "extensions.libraries",
    "extensions.markdown_pages",
    "extensions.name_pages",
    "extensions.names",
    "extensions.notebooks",
    "extensions.pair_directive",
    "extensions.port_programs",
    "extensions.promised_errors",
    "extensions.public_names",
    "extensions.results",
    "extensions.search",
    "extensions.topics",
]
exclude_patterns = ["_build", "extensions"]

# Pages: every one runs, and an error or an unexpected warning fails the build, after all pages were
# built. A page that is read again runs again where its cells, or what they call, have changed.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_timeout = HANGING
nb_merge_streams = True
if topic := os.environ.get("JAXVSTORCH_TOPIC"):  # its pages run, the others are read alone
    pages = [page.name for page in Path(__file__).parent.rglob("*.md")]
    own = (f"{topic}.md", f"{topic}-")
    nb_execution_excludepatterns = [page for page in pages if not page.startswith(own)]
    suppress_warnings = ["myst-nb.lexer", "mystnb.glue"]  # of cells that did not run
nb_output_stderr = "warn"

# API
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
add_function_parentheses = False

# The inventories hold the names this book uses, so that it builds offline.
intersphinx_mapping = {
    "python": ("https://docs.python.org/3/", "inventories/python.inv"),
    "jax": ("https://docs.jax.dev/en/latest/", "inventories/jax.inv"),
    "torch": ("https://docs.pytorch.org/docs/stable/", "inventories/torch.inv"),
}

# HTML
html_theme = "sphinx_book_theme"
html_title = "jaxvstorch"
html_baseurl = site
templates_path = ["_templates"]
html_static_path = ["_static", "figures", "../benchmarks/report/results.css"]
html_css_files = ["custom.css", "topic.css", "front.css", "results.css", "icons.css"]
html_js_files = ["print.js", ("navigation.js", {"defer": "defer"})]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "jaxvstorch", "alt_text": "jaxvstorch: front page"},
    "repository_url": repository,
    "repository_branch": "main",
    "path_to_docs": "book",
    "use_repository_button": True,
    "use_edit_page_button": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "navbar_persistent": [],
    "show_navbar_depth": 2,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": {"**": ["page-toc.html"], "index": []},
}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
notfound_context = {
    "title": "No such page",
    "body": "<h1>There is no such page</h1><p>Pages move. Search for a word of its title.</p>",
}
notfound_urls_prefix = "/jaxvstorch/"
ogp_site_url = site
ogp_image = "_static/card.png"
ogp_image_alt = "jaxvstorch: JAX and PyTorch side by side, run, tested and timed"
ogp_social_cards = {"enable": False}  # one image is enough
sitemap_url_scheme = "{link}"
