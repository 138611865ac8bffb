project = "Somebody's gallery"
extensions = ["gallery_intl"]
exclude_patterns = ["gallery", "locales"]
gallery_intl_languages = {"en": "English", "ko": "한국어", "ar": "العربية"}
locale_dirs = ["locales"]
gettext_compact = False
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
}
