project = "Records"
language = "en"
extensions = ["gallery_intl", "gallery_run", "gallery_site"]
exclude_patterns = ["_build*", "gallery", "locales", "tutorials/index.rst"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
gallery_intl_deadline = 300
locale_dirs = ["locales"]
gettext_compact = False
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "copyfile_regex": r"index\.rst$",
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
}
html_theme = "pydata_sphinx_theme"
