extensions = ["sphinx_gallery.gen_gallery", "gallery_intl.figures"]
exclude_patterns = ["gallery"]
locale_dirs = ["locales"]
gettext_compact = False
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("gallery_intl.figures.scraper",),
    "reset_modules": ("matplotlib", "gallery_intl.figures.reset"),
    "reset_modules_order": "both",
    "image_srcset": [],
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
}


def setup(app):
    from gallery_intl.page import contexts
    from gallery_intl.page.annotate import Annotate

    app.add_transform(Annotate)
    app.connect("build-finished", contexts.write_contexts)
