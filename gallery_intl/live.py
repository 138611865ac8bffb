"""Show one language in the browser, and every saved edit of it a moment later.

The server and the watcher are sphinx-autobuild's. What goes wrong is shown in the
terminal and over the page, until an edit mends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import uvicorn
import watchfiles
from sphinx_autobuild.middleware import (  # type: ignore[import-untyped]
    JavascriptInjectorMiddleware,
)
from sphinx_autobuild.server import RebuildServer  # type: ignore[import-untyped]
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from gallery_intl.build import BuildError, Site, only_one
from gallery_intl.live_build import Job
from gallery_intl.live_rebuild import Rebuilder

HERE = Path(__file__).parent
# What people write; an editor's copies, and what a build makes, end otherwise.
WRITTEN = {".css", ".csv", ".html", ".jinja", ".js", ".po", ".py", ".rst", ".svg"}
PAUSE = 20  # ms without another change, after which the edit is taken for complete
# What the open pages are told, beside what went wrong; live.js knows these words.
REFRESH = "refresh"
COMPARE = "compare"  # for a page that shows words of the one that was built
SCRIPT = (HERE / "live.js").read_text(encoding="utf-8")


class Pages(StaticFiles):
    """The built pages; the browser asks each time whether they are still the same."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


class Injector(JavascriptInjectorMiddleware):  # type: ignore[misc]
    """Adds our script to each page that is sent, and to none on disk."""

    def __init__(self, app: Any) -> None:
        super().__init__(app, ws_url="")
        self.script = f"<script>{SCRIPT}</script>".encode()


class Watcher(RebuildServer):  # type: ignore[misc]
    """Builds after each edit and tells the open pages how it went."""

    def __init__(self, job: Job, builder: Rebuilder, problems: str) -> None:
        folders = [path for path in job.srcdir.iterdir() if is_watched(path, job.made)]
        super().__init__(folders, lambda path: not is_source(path, job), builder.stop)
        self.job, self.builder = job, builder
        self.message = problems or REFRESH
        self.building = asyncio.Lock()

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
        async for changes in watchfiles.awatch(
            *paths,
            watch_filter=lambda _, path: not self.ignore(Path(path)),
            step=PAUSE,
            recursive=recursive,
        ):
            async with self.building:
                await self.build(sorted({Path(path) for _, path in changes}))

    async def build(self, changed: list[Path]) -> None:
        for path in changed:
            print(f"  {path.relative_to(self.job.srcdir)}", flush=True)
        build_first = functools.partial(self.builder.build_first, changed)
        problems = await asyncio.to_thread(timed, "page built", build_first)
        if problems is None:  # not possible here
            self.tell(await build_all(self.builder) or REFRESH)
        elif problems:
            self.tell(problems)
        else:
            self.tell(REFRESH)
            self.tell(await build_all(self.builder) or COMPARE)

    def tell(self, message: str) -> None:
        self.message = message
        self.flag.set()

    async def watch_reloads(self, ws: WebSocket) -> None:
        if self.message not in (REFRESH, COMPARE):
            await ws.send_text(self.message)
        while True:
            await self.flag.wait()
            self.flag.clear()
            await ws.send_text(self.message)


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


def not_found(_request: Request, error: Exception) -> Response:
    """Give a page even where there is none: it may come with the next build."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    return HTMLResponse(f"<!doctype html><title>{status}</title>", status)


def application(watcher: Watcher, folder: Path) -> Starlette:
    """Give the web application: pages, and a line on which they hear of edits."""
    return Starlette(
        routes=[
            WebSocketRoute("/websocket-reload", watcher),
            Mount("/", Pages(directory=folder, html=True)),
        ],
        middleware=[Middleware(Injector)],
        exception_handlers={HTTPException: not_found},
        lifespan=watcher.lifespan,
    )


def listen(port: int) -> socket.socket:
    """Take a port of this machine, or say that it is taken."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
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
            problems = timed("all built", builder.build_all) or ""
            watcher = Watcher(job, builder, problems)
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
