"""Write files whole; let no two processes write the same ones."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


def replace_file(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Put a whole file in place in one step, so that it is never half written.

    ``sync=False`` is for what can be made again: a machine that loses its power may
    lose it.
    """
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def replace_if_changed(path: Path, data: bytes, *, sync: bool = True) -> bool:
    """Put a whole file in place, unless it is there already; tell whether it was not.

    A symbolic link becomes a file.
    """
    if not path.is_symlink() and path.is_file() and path.read_bytes() == data:
        return False
    replace_file(path, data, sync=sync)
    return True


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left of catalogs that it was about to replace.

    The names are those of `replace_file`, not of an editor, such as ``.page.po.swp``.
    """
    for path in folder.rglob(".*.po.????????"):
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def only_one(folder: Path, say_waiting: Callable[[], object]) -> Iterator[None]:
    """Wait until no other process works in a folder, and keep others out of it."""
    from filelock import FileLock, Timeout  # recording a page needs no package

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")
    try:
        held = lock.acquire(timeout=0)
    except Timeout:
        say_waiting()
        held = lock.acquire()
    with held:
        yield
