"""Show one language in the browser, and every saved edit of it a moment later.

The server and the watcher are sphinx-autobuild's. What goes wrong is shown in the
terminal and over the page, until an edit mends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import re
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import uvicorn
import watchfiles
from sphinx_autobuild.server import RebuildServer  # type: ignore[import-untyped]
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from gallery_site.build import only_one
from gallery_site.live_build import Job
from gallery_site.live_rebuild import Rebuilder
from gallery_site.project import BuildError, Site

HERE = Path(__file__).parent
# What people write; an editor's copies, and what a build makes, end otherwise.
WRITTEN = {".css", ".csv", ".html", ".jinja", ".js", ".po", ".py", ".rst", ".svg"}
BREATH = 200  # ms after which a watcher that saw nothing says so
PAUSE = 20  # ms without another change, after which the edit is taken for complete
SCRIPT = (HERE / "live.js").read_text(encoding="utf-8")


class Pages(StaticFiles):
    """The built files, read whole: a build may replace one while it is sent."""

    def file_response(self, full_path: Any, *others: Any, **options: Any) -> Response:
        response = super().file_response(full_path, *others, **options)
        if response.media_type == "text/html":
            return page(Path(full_path).read_bytes())
        # The browser asks each time: our words come into scripts after their checksum.
        kept = {"etag": response.headers["etag"], "cache-control": "no-cache"}
        if isinstance(response, FileResponse):
            content, kind = Path(full_path).read_bytes(), response.media_type
            return Response(content, headers=kept, media_type=kind)
        return response


class Watcher(RebuildServer):  # type: ignore[misc]
    """Builds after each edit and tells the open pages how it went."""

    def __init__(
        self, job: Job, builder: Rebuilder, problems: str, since: float
    ) -> None:
        folders = [path for path in job.srcdir.iterdir() if is_watched(path, job.made)]
        super().__init__(folders, lambda path: not is_source(path, job), builder.stop)
        self.job, self.builder = job, builder
        self.problems, self.builds = problems, 0
        self.news = asyncio.Condition()
        self.building = asyncio.Lock()
        self.since = since  # what was saved later may not be in the first build

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with super().lifespan(app):
            yield
            self.builder.stop()  # or its end would be waited for

    async def watch(self) -> None:
        await asyncio.gather(
            self.follow(*self.paths), self.follow(self.job.srcdir, recursive=False)
        )

    async def follow(self, *paths: Path, recursive: bool = True) -> None:
        started = False
        async for changes in watchfiles.awatch(
            *paths,
            watch_filter=lambda _, path: not self.ignore(Path(path)),
            step=PAUSE,
            recursive=recursive,
            rust_timeout=BREATH,
            yield_on_timeout=True,
        ):
            changed = {Path(path) for _, path in changes}
            if not started:  # only now is nothing missed any more
                started = True
                changed |= saved_since(self.since, paths, recursive, self.job)
            if changed:
                async with self.building:
                    await self.build(sorted(changed))

    async def build(self, changed: list[Path]) -> None:
        for path in changed:
            print(f"  {path.relative_to(self.job.srcdir)}", flush=True)
        build_first = functools.partial(self.builder.build_first, changed)
        problems = await asyncio.to_thread(timed, "page built", build_first)
        if problems is not None:
            await self.tell(problems)
        if not problems:
            await self.tell(await build_all(self.builder))

    async def tell(self, problems: str) -> None:
        async with self.news:
            self.problems, self.builds = problems, self.builds + 1
            self.news.notify_all()

    async def watch_reloads(self, ws: WebSocket) -> None:
        told = None
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                async with self.news:
                    while told == self.builds:
                        await self.news.wait()
                told = self.builds
                await ws.send_text(self.problems)


def saved_since(
    since: float, folders: Iterable[Path], recursive: bool, job: Job
) -> set[Path]:
    """Give the sources that were saved after a moment, in seconds since the epoch."""
    pattern = "**/*" if recursive else "*"
    files = (path for folder in folders for path in folder.glob(pattern))
    return {
        path
        for path in files
        if is_source(path, job) and path.is_file() and path.stat().st_mtime > since
    }


def is_watched(path: Path, made: list[Path]) -> bool:
    """Tell whether people write below a folder."""
    is_environment = (path / "pyvenv.cfg").exists()
    hidden = path.name.startswith(".")
    return path.is_dir() and path not in made and not hidden and not is_environment


def is_source(path: Path, job: Job) -> bool:
    """Tell whether a file is one that people write, and this language shows."""
    is_copy = path.name.startswith((".", "#"))
    is_made = any(path.is_relative_to(folder) for folder in job.made)
    is_foreign = path.suffix == ".po" and not path.is_relative_to(job.catalogs)
    return path.suffix in WRITTEN and not (is_copy or is_made or is_foreign)


async def build_all(builder: Rebuilder) -> str:
    """Build all that changed, while the server goes on serving."""
    return await asyncio.to_thread(timed, "all built", builder.build_all) or ""


def timed(done: str, build: Callable[[], str | None]) -> str | None:
    """Build, and say in the terminal how it went."""
    start = time.monotonic()
    problems = build()
    if problems:
        print(f"{problems}\n(shown on the page, until it is mended)", flush=True)
    elif problems == "":
        print(f"{done} in {time.monotonic() - start:.2f} s", flush=True)
    return problems


def page(content: bytes, status: int = 200) -> Response:
    """Give a page with our script, which reloads it once it is another one.

    The checksums of style sheets, which differ from build to build, do not count.
    """
    checksum = hashlib.sha256(re.sub(rb"\?v=\w+", b"", content)).hexdigest()
    script = f'<script data-shown="{checksum}">{SCRIPT}</script>'.encode()
    return HTMLResponse(content + script, status, {"cache-control": "no-store"})


def not_found(_request: Request, error: Exception) -> Response:
    """Give a page even where there is none: it may come with the next build."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    return page(f"<!doctype html><title>{status}</title>".encode(), status)


def application(watcher: Watcher, folder: Path) -> Starlette:
    """Give the web application: pages, and a line on which they hear of edits."""
    return Starlette(
        routes=[
            WebSocketRoute("/websocket-reload", watcher),
            Mount("/", Pages(directory=folder, html=True)),
        ],
        exception_handlers={HTTPException: not_found},
        lifespan=watcher.lifespan,
    )


def listen(port: int) -> socket.socket:
    """Take a port of this machine, or say that it is taken."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        raise BuildError(
            f"port {port}: {error.strerror} (choose another: make live-... PORT=8001)"
        ) from None
    return listener


def live(site: Site, language: str, port: int, runs: bool) -> None:
    """Serve one language until Ctrl-C."""
    if language not in site.languages:
        known = ", ".join(site.languages)
        raise BuildError(f"no language {language!r}; the site has {known}")
    out = site.out / ("live" if runs else "preview") / language
    with listen(port) as listener, only_one(site._replace(out=out)):
        made = [*site.generated, site.out]
        job = Job(site.srcdir, site.locale_dir, made, language, out, runs)
        job.html.mkdir(exist_ok=True)
        builder = Rebuilder(job)
        try:
            print(f"building {language} ...", flush=True)
            since = time.time()
            problems = timed("all built", builder.build_all) or ""
            watcher = Watcher(job, builder, problems, since)
            print(
                f"http://127.0.0.1:{listener.getsockname()[1]}/  (stop with Ctrl-C)",
                flush=True,
            )
            serve(application(watcher, job.html), listener)
        finally:
            builder.stop()


def serve(app: Starlette, listener: socket.socket) -> None:
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])
