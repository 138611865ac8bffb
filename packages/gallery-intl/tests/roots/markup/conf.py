project = "Somebody's science"
extensions = ["sphinx.ext.extlinks", "sphinx.ext.todo", "gallery_intl"]
todo_include_todos = True
extlinks = {"doi": ("https://example.org/%s", "doi:%s")}
exclude_patterns = ["examples", "locales"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
locale_dirs = ["locales"]
gettext_compact = False
gettext_additional_targets = ["literal-block"]
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "plot_gallery": False,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
    "expected_failing_examples": ["examples/plot_syntax_error.py"],
    "first_notebook_cell": "%matplotlib inline",
    "last_notebook_cell": "# The end.",
    "notebook_images": "https://example.org/pictures/",
    "promote_jupyter_magic": True,
    "remove_config_comments": True,
}
