"""A library's documentation with Sphinx-Gallery's settings as they come."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Signals"
copyright = "2026, the Signals developers"
extensions = ["sphinx.ext.autodoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "examples", "tutorials"]
sphinx_gallery_conf = {
    "examples_dirs": ["examples", "tutorials"],
    "gallery_dirs": ["auto_examples", "auto_tutorials"],
    "backreferences_dir": "gen_modules/backreferences",
    "doc_module": ("signals",),
    "reference_url": {"signals": None},
    "expected_failing_examples": ["examples/spectra/plot_too_short.py"],
}
