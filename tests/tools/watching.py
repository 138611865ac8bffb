"""What goes wrong in a page that a test has opened in the browser."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page


def watch(page: Page, host: str, troubles: list[str]) -> None:
    """Note errors, failed requests, and requests to another host."""

    def note_request(url: str) -> None:
        if urlsplit(url).scheme != "data" and urlsplit(url).netloc != host:
            troubles.append(f"{page.url}: asks {url}")

    page.on("pageerror", lambda error: troubles.append(f"{page.url}: {error}"))
    page.on("request", lambda request: note_request(request.url))
    page.on(
        "requestfailed",
        # a page that is left asks for nothing more: that is no failure
        lambda request: (
            request.failure == "net::ERR_ABORTED"
            or troubles.append(f"{page.url}: {request.failure} {request.url}")
        ),
    )
    page.on(
        "response",
        lambda response: (
            response.status < 400
            or troubles.append(f"{page.url}: {response.status} {response.url}")
        ),
    )
    page.on(
        "console",
        lambda message: (
            message.type != "error" or troubles.append(f"{page.url}: {message.text}")
        ),
    )


def is_too_wide(page: Page) -> bool:
    """Tell whether a reader must scroll sideways; code blocks may do so inside."""
    return bool(
        page.locator("html, main, main article").evaluate_all(
            "nodes => nodes.some(node => node.scrollWidth > node.clientWidth + 1)"
        )
    )
