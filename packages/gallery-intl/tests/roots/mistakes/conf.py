extensions = ["gallery_intl"]
html_theme = "basic"
exclude_patterns = ["gallery", "locales", "_build"]
locale_dirs = ["locales"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "plot_gallery": False,
    "write_computation_times": False,
    "download_all_examples": False,
}
