project = "A site"
extensions = [
    "sphinx_gallery.gen_gallery",
    "gallery_intl.text.cjk",
    "gallery_intl.page.comments",
    "gallery_intl.downloads.downloads",
]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "plot_gallery": False,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
}
exclude_patterns = ["gallery", "again"]
locale_dirs = ["locales"]
gettext_compact = False
