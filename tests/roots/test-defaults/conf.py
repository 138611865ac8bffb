"""A gallery with Sphinx-Gallery's default settings, as a project with an API has it."""

from pathlib import Path

project = "Somebody's tools"
extensions = ["sphinx_gallery.gen_gallery", "gallery_intl"]
exclude_patterns = ["examples", "locales"]
html_sidebars = {"**": ["sg_download_links.html"]}
gallery_intl_languages = {"en": "English", "ko": "한국어"}
locale_dirs = ["locales"]
gettext_compact = False


def measured(call):
    """Say how much memory a script took, without measuring it."""
    return 12.5, call()


sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "show_memory": measured,
    "backreferences_dir": "gen_modules",
    "doc_module": ("json",),
    "recommender": {"enable": True},
}


def link_to_plot(app, docname, source):
    """Write what Matplotlib's plot directive writes: a link into the build's folder."""
    if docname == "index":
        plot = Path(app.doctreedir).parent / "plot_directive" / "index-1.py"
        plot.parent.mkdir(exist_ok=True)
        plot.touch()
        path = plot.relative_to(app.srcdir).as_posix()
        source[0] += f"\n\n(:download:`Source code <{path}>`)\n"


def setup(app):
    app.connect("source-read", link_to_plot)
