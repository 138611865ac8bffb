"""What the site is: title, languages, theme, gallery. Values, no code."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for our packages, in any sphinx-build

project = "Multi-GPU examples"
author = "The Multi-GPU examples authors"
copyright = "2026, The Multi-GPU examples authors"
language = "en"

extensions = [
    "sphinx.ext.intersphinx",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_cjk_search",
    "gallery_intl",
    "gallery_run",
    "gallery_site",
]
exclude_patterns = [
    "_build",
    ".venv",
    "gallery",
    "docs",
    "packages",
    "tests",
    "tutorials/index.rst",
]
templates_path = ["_templates"]
nitpicky = True

# Languages, by their own names, in the order of the menu; the first is the source.
gallery_intl_languages = {
    "en": "English",
    "ko": "한국어",
    "zh_CN": "简体中文",
    "ja": "日本語",
}
gallery_intl_source_downloads = True  # English pages look like the others
gallery_intl_plain_links = True  # downloaded scripts name pages by their titles
gallery_intl_lines = True  # titles break at their colon first
# else Chromium would cut these
gallery_intl_unbroken = {"ja": ["方法", "半分ずつ", "による"]}
gallery_intl_how_to = "translate"  # the page that gaps and the status lead to
locale_dirs = ["locales"]
gettext_compact = False
gettext_uuid = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "copyfile_regex": r"(index\.rst|train\.slurm)$",  # parts with cards; a file to take
    "image_scrapers": ("gallery_intl.figures.scraper",),
    "reset_modules": (
        "matplotlib",
        "gallery_intl.figures.reset_with_style",
        "gallery_run.ranks.reset",
    ),
    "reset_modules_order": "both",
    "reset_argv": "gallery_run.ranks.argv",
    "abort_on_example_error": True,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "image_srcset": [],
    "capture_repr": (),
    "css": [],  # gallery_intl brings what its pages need
}

# Search: what is about the site comes last.
cjk_search_synonyms = "locales/glossary.csv"
cjk_search_queries = "locales/searches.csv"
cjk_search_last = ["about", "sources", "translation_status", "words", "names"]
cjk_search_missing = (
    "This site does not treat these: DeepSpeed, Megatron-LM, TPUs, inference."
)
cjk_search_unbroken = gallery_intl_unbroken
gallery_intl_shown_settings = ["cjk_search_missing"]

# Names of torch lead to its documentation: those of this file, which our pages use.
intersphinx_mapping = {
    "torch": ("https://docs.pytorch.org/docs/2.13/", "inventories/torch.inv")
}
gallery_intl_link_names = True
gallery_site_glossary = "locales/glossary.csv"  # its terms are explained on a page

# The repository, such as "https://github.com/owner/name"; then translated pages link to
# the editor of their catalog, and the page "About" to the repository.
gallery_repository_url = ""

# The address of the site: the folder that the languages are in. Empty while it has
# none; then nothing that needs one is written (canonical links, 404 page).
html_baseurl = ""
html_title = project
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_extra_path = ["LICENSE"]  # names also what the site ships of others
html_css_files = ["site.css", "front.css", "lesson.css"]
html_js_files = [("site.js", {"loading_method": "defer"})]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_use_index = False  # no page writes an entry
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "search_bar_text": "Search",
    "navbar_persistent": ["search-button-field", "navigation-link", "language-menu"],
    "navbar_center": ["site-menu"],
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_center": ["licences"],
    "footer_end": ["site-links"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_toc_level": 2,
    "show_prev_next": True,
}
html_sidebars = {"index": [], "**": ["lessons"]}
# not on what a program prints
copybutton_selector = (
    "div.highlight:not(.sphx-glr-script-out *, .recorded-out *) pre, .try-it pre"
)
copybutton_exclude = ".linenos, .gp, .go"

linkcheck_timeout = 20  # seconds
linkcheck_retries = 3
linkcheck_anchors_ignore_for_url = [r"https://github\.com/"]  # a script makes them
