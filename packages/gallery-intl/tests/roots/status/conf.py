project = "Sums"
extensions = ["gallery_intl"]
exclude_patterns = ["_build", "gallery"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "filename_pattern": "page",
    "image_scrapers": (),  # without Matplotlib
    "reset_modules": (),
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1e9,
}
