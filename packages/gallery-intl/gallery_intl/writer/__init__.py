"""Write the sources of one language, which plain Sphinx then builds.

What gettext cannot reach is put in place before Sphinx starts: comments in code,
figures, alt texts, Sphinx-Gallery's own text, and downloads. The text of the pages
stays in English, because Sphinx translates it itself.
"""
