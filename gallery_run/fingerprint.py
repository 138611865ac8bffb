"""Tell in milliseconds whether the gallery changed since it was last run.

The fingerprint lies in the generated folder and is completed last, so an interrupted
run never looks like a finished one.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.config import Config
from sphinx.util.tags import Tags

from gallery_intl import figures
from gallery_intl.files import replace_file

NAME = ".fingerprint.json"
PACKAGES = ("torch", "sphinx-gallery", "matplotlib", "numpy")
# what a run's outputs and figures depend on
MODULES = ("generate", "machine", "needs", "ranks", "upstream")
OTHERS = re.compile(r"(^|/)(\.|__pycache__/)")  # files that people do not write
FIGURE_MODULES = ("__init__", "upstream", "style", "svg")


class Fingerprint(NamedTuple):
    """What a run depends on."""

    environment: str  # settings and versions: a change runs every script again
    files: str  # scripts and headers: Sphinx-Gallery knows which ones to run
    made: list[str]  # what the run generated: all of it must still be there


def read_settings(confdir: Path, overrides: dict[str, Any]) -> Config:
    """Read what a run needs of conf.py, without Sphinx, extensions or themes."""
    config = Config.read(confdir, overrides=overrides, tags=Tags())
    config.add("sphinx_gallery_conf", {}, "html", dict)
    config.add("gallery_intl_deadline", 120, "", (int, float))
    return config


def gallery_dirs(srcdir: Path, gallery: dict[str, Any]) -> list[tuple[Path, Path]]:
    """Return each examples folder with the folder of its generated pages."""
    examples = gallery.get("examples_dirs", "../examples")
    generated = gallery.get("gallery_dirs", "auto_examples")
    both = [[one] if isinstance(one, str) else one for one in (examples, generated)]
    pairs = zip(*both, strict=False)
    return [(Path(srcdir, one), Path(srcdir, other)) for one, other in pairs]


def take(srcdir: Path, gallery: dict[str, Any]) -> Fingerprint:
    """Return the fingerprint of the gallery as it now is, before it is run."""
    settings = json.dumps(gallery, sort_keys=True, default=_name)
    versions = [platform.python_version(), *map(_version, PACKAGES)]
    modules = [path.read_bytes() for path in modules_of_a_run()]
    return Fingerprint(
        environment=_digest(*map(str.encode, [settings, *versions]), *modules),
        files=digest(*(examples for examples, _ in gallery_dirs(srcdir, gallery))),
        made=[],
    )


def modules_of_a_run() -> list[Path]:
    """Return the modules that make the outputs and figures of pages."""
    own = [Path(__file__).with_name(f"{name}.py") for name in MODULES]
    others = [Path(figures.__file__).with_name(f"{x}.py") for x in FIGURE_MODULES]
    return own + others


def read(folder: Path) -> Fingerprint | None:
    """Return the fingerprint of the last run; None if there is none to trust."""
    try:
        return Fingerprint(**json.loads((folder / NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(folder: Path, fingerprint: Fingerprint) -> None:
    text = json.dumps(fingerprint._asdict(), indent=1)
    replace_file(folder / NAME, text.encode("utf-8"), sync=False)


def is_current(srcdir: Path, gallery: dict[str, Any]) -> bool:
    """Return whether the last run still stands for the gallery as it now is."""
    last = read(gallery_dirs(srcdir, gallery)[0][1])
    return (
        last is not None
        and last._replace(made=[]) == take(srcdir, gallery)
        and all(Path(srcdir, name).exists() for name in last.made)
    )


def files_in(folder: Path) -> list[Path]:
    """Return the files that people write, with paths that begin at the folder."""
    paths = [x.relative_to(folder) for x in folder.rglob("*") if x.is_file()]
    return [path for path in sorted(paths) if not OTHERS.search(str(path))]


def digest(*folders: Path) -> str:
    paths = [(folder, path) for folder in folders for path in files_in(folder)]
    parts = ((os.fsencode(path), (top / path).read_bytes()) for top, path in paths)
    return _digest(*chain.from_iterable(parts))


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _name(value: Any) -> str:
    """Name a setting that is no plain value, without its changing address."""
    kind = value if hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
