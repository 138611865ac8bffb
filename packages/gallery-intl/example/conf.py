project = "Means"
author = "its authors"
extensions = ["gallery_intl"]
exclude_patterns = ["_build", "examples"]
html_theme = "alabaster"
locale_dirs = ["locales"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "image_scrapers": ("gallery_intl.figures.scraper",),
    "reset_modules": ("matplotlib", "gallery_intl.figures.reset"),
}
