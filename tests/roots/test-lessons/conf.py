project = "Lessons"
extensions = [
    "gallery_intl",
    "gallery_run",
    "gallery_site",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery", "locales", "tutorials/index.rst"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
locale_dirs = ["locales"]
gettext_compact = False
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "copyfile_regex": r"index\.rst$",
    "plot_gallery": False,
    "abort_on_example_error": True,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
}
html_theme = "pydata_sphinx_theme"
