"""A library's documentation, with much of what Sphinx-Gallery can add to pages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
# gallery_intl needs no package of the site that it was made for
for name in ("gallery_run", "gallery_site", "po_check_cjk", "sphinx_cjk_search"):
    sys.modules[name] = None


def measured(call):
    """Report how much memory a script took, without measuring it."""
    return 12.5, call()


project = "Signals"
copyright = "2026, the Signals developers"
extensions = ["sphinx.ext.autodoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["examples", "tutorials"]
suppress_warnings = ["config.cache"]  # of the function above
sphinx_gallery_conf = {
    "examples_dirs": ["examples", "tutorials"],
    "gallery_dirs": ["auto_examples", "auto_tutorials"],
    "backreferences_dir": "gen_modules/backreferences",
    "doc_module": ("signals",),
    "reference_url": {"signals": None},
    "expected_failing_examples": ["examples/spectra/plot_too_short.py"],
    "show_memory": measured,
    "recommender": {"enable": True, "n_examples": 1, "min_df": 1},
    "binder": {
        "org": "org",
        "repo": "repo",
        "branch": "main",
        "binderhub_url": "https://mybinder.org",
        "dependencies": ["requirements.txt"],
    },
}
