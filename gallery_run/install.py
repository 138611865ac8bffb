"""Begin a page's notebook with the cell that installs what is not there.

A service that runs notebooks has a torch that fits its GPUs, and a reader may have one.
What can be imported is never installed again.
"""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.locale import _

from gallery_intl.downloads.notebook import Cell
from gallery_intl.script.source import packages
from gallery_intl.text.wrapping import wrap
from gallery_run.needs import world_size

INSTALL = """\
from importlib.util import find_spec

missing = [name for name in {names} if not find_spec(name)]
if missing:
    %pip install --quiet {{" ".join(missing)}}"""


def needed(script: str) -> list[str]:
    """Return what a notebook imports, as page and as the one that starts its ranks."""
    return [*packages(script), *(["ipyparallel"] if world_size(script) else [])]


def install_missing(app: Sphinx, script: str) -> list[Cell]:
    """Return the cell that installs what a page's notebook needs."""
    if not (names := needed(script)):
        return []
    about = _("Install what is missing. What is already here stays as it is.")
    source = INSTALL.format(names=repr(names).replace("'", '"'))
    return [Cell("code", "\n".join([*wrap(about, "# ", "# "), source]), "install")]
