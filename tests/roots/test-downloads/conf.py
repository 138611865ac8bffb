project = "A site"
extensions = [
    "sphinx_gallery.gen_gallery",
    "gallery_intl.text",
    "gallery_intl.downloads",
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
gallery_intl_source_downloads = True


def setup(app):
    from gallery_intl.page import code
    from gallery_intl.page.annotate import Annotate

    app.add_transform(Annotate)
    app.add_transform(code.TranslateScript)
    app.add_transform(code.CollectComments)
