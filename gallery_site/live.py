"""Show one language in the browser, and every saved edit of it a moment later.

The server, and how it reloads pages, are sphinx-autobuild's; ours is only what it does
after an edit. What goes wrong is shown in the terminal and over the page.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import socket
import time
from pathlib import Path
from typing import Any

import uvicorn
import watchfiles
from sphinx_autobuild.middleware import (  # type: ignore[import-untyped]
    JavascriptInjectorMiddleware,
)
from sphinx_autobuild.server import RebuildServer  # type: ignore[import-untyped]
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from gallery_intl.catalogs.po import NO_PAGE
from gallery_site.build import only_one
from gallery_site.live_build import Job, stand_ready
from gallery_site.live_check import findings, page_at, place
from gallery_site.project import BuildError, Site

# What people write; an editor's copies, and what a build makes, end otherwise.
WRITTEN = {".css", ".csv", ".html", ".jinja", ".js", ".po", ".py", ".rst", ".svg"}
SHOW_PROBLEMS = (Path(__file__).parent / "live.js").read_text(encoding="utf-8")


class Watcher(RebuildServer):  # type: ignore[misc]
    """Builds what was edited, in a process that stands ready for it."""

    def __init__(self, job: Job) -> None:
        folders = [path for path in job.site.srcdir.iterdir() if is_watched(job, path)]
        super().__init__(folders, lambda path: not is_source(job, path), self.build)
        self.flag: asyncio.Event
        self.job, self.problems, self.builds = job, "", 0
        self.building = asyncio.Lock()
        context = multiprocessing.get_context("fork")
        self.line, end = context.Pipe()
        self.process = context.Process(target=stand_ready, args=(job, end))
        self.process.start()
        end.close()

    async def watch(self) -> None:
        top = self.follow(self.job.site.srcdir, recursive=False)
        try:
            await asyncio.gather(self.follow(*self.paths), top)
        finally:
            self.process.kill()

    async def follow(self, *paths: Path, recursive: bool = True) -> None:
        is_new = recursive  # what was saved during the first build is built too
        async for changes in watchfiles.awatch(
            *paths,
            watch_filter=lambda _, path: not self.ignore(Path(path)),
            rust_timeout=500,
            yield_on_timeout=True,
            recursive=recursive,
        ):
            if changes or is_new:
                async with self.building:
                    await self.rebuild(sorted({Path(path) for _, path in changes}))
            is_new = False

    async def rebuild(self, changed: list[Path]) -> None:
        """Build the pages of edited catalogs first if that can be, then the rest."""
        for path in changed:
            print(f"  {path.relative_to(self.job.site.srcdir)}", flush=True)
        pages = {page_of(self.job, path) for path in changed}
        if None in pages:
            self.line.send(None)
        elif pages:
            await asyncio.to_thread(self.build, pages)
            self.tell()
            if self.problems:
                return
        await asyncio.to_thread(self.build, set())
        self.tell()
        if not self.problems:
            await asyncio.to_thread(self.check, changed)

    def check(self, changed: list[Path]) -> None:
        """Print what `findings` finds in the catalogs that were edited."""
        edited = [self.job.name_of(path) for path in changed if path.suffix == ".po"]
        for text in findings(self.job, edited) if edited else ():
            print(text, flush=True)

    def said(self, request: Request) -> JSONResponse:
        """Return to an open page what went wrong, and what is wrong in its catalog."""
        texts = findings(self.job, [page_at(request.query_params["page"])])
        known = {place(line) for line in self.problems.splitlines()}
        news = [text for text in texts if place(text) not in known]
        return JSONResponse({"problems": self.problems, "findings": news})

    def tell(self) -> None:
        """Let every open page know of another build."""
        self.builds += 1
        self.flag.set()
        self.flag = asyncio.Event()

    async def watch_reloads(self, ws: WebSocket) -> None:
        """Reload a page that was sent before the last build.

        The original may tell a page that is just being left, and no other.
        """
        while ws.path_params["builds"] == self.builds:
            await self.flag.wait()
        await ws.send_text("refresh")

    def build(self, pages: set[str | None]) -> None:
        """Build some pages, or all that changed if none are named; say how it went."""
        start = time.monotonic()
        try:
            self.line.send(pages)
            self.problems = self.line.recv()
        except (EOFError, OSError):
            if self.should_exit.is_set():
                return
            self.problems = "the process that builds has ended: start the view again"
        seconds = time.monotonic() - start
        done = f"{'page' if pages else 'all'} built in {seconds:.2f} s"
        seen = "\n(shown on the page, until it is mended)"
        print(f"{self.problems}{seen}" if self.problems else done, flush=True)


class Pages(StaticFiles):
    """The built files, read whole: a build may replace one while it is sent.

    A page, with its number of builds, is not kept; of others the browser asks each time
    whether they have changed.
    """

    def file_response(self, full_path: Any, *others: Any, **options: Any) -> Response:
        response = super().file_response(full_path, *others, **options)
        headers = {"etag": response.headers["etag"], "cache-control": "no-cache"}
        if not isinstance(response, FileResponse):
            return Response(None, response.status_code, headers)
        if response.media_type == "text/html":
            headers = {"cache-control": "no-store"}
        return Response(Path(full_path).read_bytes(), 200, headers, response.media_type)


def is_watched(job: Job, path: Path) -> bool:
    """Return whether people write below a folder."""
    is_made = path in (*job.site.generated, job.site.out)
    is_environment = path.name.startswith(".") or (path / "pyvenv.cfg").exists()
    return path.is_dir() and not (is_made or is_environment)


def is_source(job: Job, path: Path) -> bool:
    """Return whether a file is one that people write, and this language shows."""
    is_copy = path.name.startswith((".", "#"))
    made = [*job.site.generated, job.site.out]
    is_made = any(path.is_relative_to(folder) for folder in made)
    is_own = path.is_relative_to(job.catalogs) or path in job.words
    is_foreign = path.suffix == ".po" and not is_own
    return path.suffix in WRITTEN and not (is_copy or is_made or is_foreign)


def page_of(job: Job, path: Path) -> str | None:
    """Return the page of a catalog; None for what is read when Sphinx starts."""
    if path.suffix != ".po" or (name := job.name_of(path)) in NO_PAGE:
        return None
    return name


def application(watcher: Watcher, address: str) -> ASGIApp:
    """Return the web application: pages, and a line on which they hear of builds."""
    app = Starlette(
        routes=[
            WebSocketRoute("/{builds:int}/websocket-reload", watcher),
            Route("/live-problems", watcher.said),
            Mount("/", Pages(directory=watcher.job.out / "html", html=True)),
        ],
        lifespan=watcher.lifespan,
    )

    async def with_scripts(scope: Scope, receive: Receive, send: Send) -> None:
        injector = JavascriptInjectorMiddleware(app, f"{address}/{watcher.builds}")
        injector.script += f"<script>{SHOW_PROBLEMS}</script>".encode()
        await injector(scope, receive, send)

    return with_scripts


def listen(port: int) -> socket.socket:
    """Take a port of this machine, or say that it is taken."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        said = f"port {port}: {os.strerror(error.errno or 0)}"
        raise BuildError(f"{said} (choose another: make live-... PORT=8001)") from None


def live(site: Site, language: str, port: int, runs: bool) -> None:
    """Serve one language until Ctrl-C."""
    site.known([language])
    out = site.out / ("live" if runs else "preview") / language
    with listen(port) as listener, only_one(site._replace(out=out)):
        (out / "html").mkdir(exist_ok=True)
        (out / "html" / "404.html").write_text("<!doctype html><p>no such page")
        print(f"building {language} ...", flush=True)
        watcher = Watcher(Job(site, language, out, runs))
        try:
            watcher.build(set())
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            print(f"http://{address}/  (stop with Ctrl-C)", flush=True)
            app = application(watcher, address)
            config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
            server = uvicorn.Server(config)
            # a page that is still open when it ends is no error
            errors = logging.getLogger("uvicorn.error")
            errors.addFilter(lambda _record: not server.should_exit)
            server.run(sockets=[listener])
        finally:
            watcher.process.kill()
