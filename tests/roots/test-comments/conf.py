extensions = ["sphinx_gallery.gen_gallery"]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "plot_gallery": False,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
}
exclude_patterns = ["gallery"]
locale_dirs = ["locales"]
gettext_compact = False


def setup(app):
    from gallery_intl.page import code, locations
    from gallery_intl.page.annotate import Annotate

    app.add_transform(Annotate)
    app.add_transform(code.TranslateScript)
    app.add_transform(code.CollectComments)
    app.add_transform(locations.LocateMessages)
    app.connect("builder-inited", locations.install_filter)
