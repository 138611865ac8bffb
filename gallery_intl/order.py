"""In which order things happen: every number that we register, beside those of others.

Sphinx runs the transforms of a page, and the listeners of an event, from the lowest
number to the highest. Whoever adds one finds its place here, and its reason.
"""

from __future__ import annotations

# Transforms of a page that is read. Sphinx's own: 10 repairs the sources of messages,
# 20 is Locale (it translates), 25 counts, 210 and above are not ours to know.
REMOVE_FURNITURE = 8  # what Sphinx-Gallery adds is no message
ANNOTATE = 12  # the page as it is in English, before anything changes it
TRANSLATE_SCRIPT = 14
WRITE_SCRIPT = 15  # to be downloaded
COLLECT_COMMENTS = 15
LOCATE = 16  # after the comments, which know their own lines
MARK_GAPS = 18
MARK_PREVIEW = 19
FORBID = 19  # what a translation may not do while Locale runs ...
ALLOW = 21  # ... and a page may
FILL_FURNITURE = 22
SHOW_MACHINES = 23  # below the furniture
TRANSLATE_FIGURES = 26  # before doctree-read, when the images are collected

# Events. What names no number here has Sphinx's, 500.
# config-inited
COMPILE_CATALOGS = 600  # after broken ones were named
# builder-inited: Sphinx-Gallery starts at 10 and runs scripts at 500
INSTALL_FILTER = 1
RUN_GALLERY = 5
NAME_STALE_RECORDS = 600  # when the scripts have run
# doctree-read: Sphinx collects downloads at 500
WRITE_NOTEBOOK = 400
# doctree-resolved
INDEX_PAGE = 900  # as it will be shown
# html-page-context: the theme adds its functions at 500
AFTER_THEME = 600
# build-finished: the theme writes its style sheets at 500
COMPLETE_STYLES = 600
FINISH_PAGES = 900  # when all are written
# page-finished
PROTECT = 900  # when nothing changes a page any more
