"""What goes wrong in a page that a test has opened in the browser."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, Request, Response


def watch(page: Page, host: str, troubles: list[str]) -> None:
    """Note errors, failed requests, and requests to another host."""

    def note(trouble: object) -> None:
        troubles.append(f"{page.url}: {trouble}")

    def note_request(request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme != "data" and url.netloc != host:
            note(f"asks {request.url}")

    def note_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that is left asks no more
            note(f"{request.failure} {request.url}")

    def note_response(response: Response) -> None:
        if response.status >= 400:
            note(f"{response.status} {response.url}")

    page.on("pageerror", note)
    page.on("request", note_request)
    page.on("requestfailed", note_failure)
    page.on("response", note_response)
    page.on("console", lambda said: note(said.text) if said.type == "error" else None)


def is_too_wide(page: Page) -> bool:
    """Tell whether a reader must scroll sideways; code blocks may do so inside."""
    return bool(
        page.locator("html, main, main article").evaluate_all(
            "nodes => nodes.some(node => node.scrollWidth > node.clientWidth + 1)"
        )
    )
