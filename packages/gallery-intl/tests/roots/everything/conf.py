project = "A gallery"
author = copyright = "its authors"
extensions = ["gallery_intl"]
html_theme = "basic"
html_copy_source = False
exclude_patterns = ["gallery", "locales", "_build"]
locale_dirs = ["locales"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
gallery_intl_source_downloads = True
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": "/plot_",
    "image_scrapers": ("gallery_intl.figures.scraper",),
    "reset_modules": ("matplotlib", "gallery_intl.figures.reset_with_style"),
    "reset_modules_order": "both",
    "capture_repr": (),
    "image_srcset": [],
    "download_all_examples": False,
    "write_computation_times": False,
}
