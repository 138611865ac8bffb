project = "Components"
extensions = ["sphinx_design", "sphinx_copybutton"]
html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navbar_persistent": ["search-button-field"],
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "github_url": "https://github.com/sphinx-doc/sphinx",
    "show_toc_level": 2,
}
