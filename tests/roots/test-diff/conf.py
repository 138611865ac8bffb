extensions = ["gallery_intl"]
exclude_patterns = ["gallery"]
html_theme = "basic"
locale_dirs = ["locales"]
gettext_compact = False
gallery_intl_source_downloads = True
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "plot_gallery": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}
