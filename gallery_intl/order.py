"""In which order things happen: every number that we register, beside those of others.

Sphinx runs the transforms of a page, and the listeners of an event, from the lowest
number to the highest, and of equal ones first whoever was added first: this package,
then those made with it. Whoever adds one finds its place here, and its reason.
"""

from __future__ import annotations

# Transforms of a page that is read. Sphinx's own: 10 repairs the sources of messages,
# 20 is Locale (it translates), 25 counts, 210 and above are not ours to know.
HIDE_FURNITURE = 8  # what Sphinx-Gallery adds is no message
PLACE_NEEDS = 9  # above all that is put below the title
ANNOTATE = 12  # the page as it is in English, before anything changes it
PLACE_ALT_TEXTS = 13  # if nothing was run; the comments of their code go before them
TRANSLATE_SCRIPT = 14
COLLECT_COMMENTS = 15
LOCATE = 16  # after the comments, which know their own lines
MARK_GAPS = 18
MARK_PREVIEW = 19
FORBID = 19  # what a translation may not do while Locale runs ...
ALLOW = 21  # ... and a page may
NOTE_TERMS = 22  # of the English text, for what is linked when all pages are read
FILL_FURNITURE = 22
FILL_NEEDS = 22  # after it, where a page ends otherwise
DESCRIBE = 22  # figures, with words that Locale translated
READ_CARD = 22  # and take it off the page
SHOW_HEAD = 24  # of both, and of what the author says
LINK_NAMES = 25  # in text that is translated
TRANSLATE_FIGURES = 26  # before doctree-read, when the images are collected
SHOW_DIFFS = 27  # when nobody looks for the code of a page among its blocks any more

# Transforms of a page that is written.
LINK_ONCE = 6  # after Sphinx-Gallery has linked the names in code, at 5
VISIT_CODE = 700  # before linkcheck collects addresses at 800

# Events. What names no number here has Sphinx's, 500.
# builder-inited: Sphinx-Gallery starts at 10 and runs scripts at 500
INSTALL_FILTER = 1
RUN_GALLERY = 5
BEFORE_GENERATING = 490
AFTER_GENERATING = 510
# doctree-read: Sphinx collects downloads at 500
SHOW_FOOT = 300
SHOW_WAYS_OUT = 350  # when the page's foot is there, before notebooks leave it out
WRITE_DOWNLOADS = 400
NAME_DOWNLOADS = 600
# doctree-resolved
LINK_WORDS = 600  # when no link is missing any more
DEFINE_PICTOGRAMS = 600  # when the cards use them
# html-page-context: the theme adds its functions, and reads its lists of templates, at
# 500
BEFORE_THEME = 400
AFTER_THEME = 600
# build-finished: the theme writes its style sheets at 500
COMPLETE_STYLES = 600
FINISH_PAGES = 900  # when all are written
# page-finished
PROTECT = 900  # when nothing changes a page any more
