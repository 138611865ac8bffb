"""The tags of a page, for tests that ask nothing else: a tree of it takes longer."""

from __future__ import annotations

from html.parser import HTMLParser

Attributes = dict[str, str | None]


class Tags(HTMLParser):
    """Reads the tags that begin something, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, Attributes]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags_of(text: str) -> list[tuple[str, Attributes]]:
    """Give the name and the attributes of each tag of a page."""
    tags = Tags()
    tags.feed(text)
    tags.close()
    return tags.found
