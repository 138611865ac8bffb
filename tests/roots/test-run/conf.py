extensions = ["gallery_run"]
exclude_patterns = ["_build", "gallery"]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pages",
    "filename_pattern": r"\.py$",
    "reset_modules": ("gallery_run.ranks.reset",),
    "reset_modules_order": "both",
    "reset_argv": "gallery_run.ranks.argv",
    "image_scrapers": (),
    "abort_on_example_error": True,
    "write_computation_times": False,
    "download_all_examples": False,
    "min_reported_time": 1e9,
}
