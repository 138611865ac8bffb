"""A gallery as Sphinx-Gallery's guide begins one, with any theme."""

project = "Waves"
copyright = "The Waves developers"
extensions = ["sphinx_gallery.gen_gallery", "gallery_intl"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
locale_dirs = ["locales"]
gettext_compact = False
sphinx_gallery_conf = {"examples_dirs": "examples", "gallery_dirs": "auto_examples"}
exclude_patterns = ["_build", "_themes", "examples"]
html_theme = "alabaster"
