"""Tell which rank of a page is the cause of a failure, and which only felt it.

When a rank dies, the others see a closed connection; when it hangs, they wait in a
collective until they time out. The cause is what the reader needs, and first.
"""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

CONNECTION = re.compile(
    r"connection (was )?(closed|reset|refused)|broken pipe|timed out|wait timeout"
    r"|socket timeout|failed to recv|connectfullmesh",
    re.IGNORECASE,
)
ERROR = re.compile(r"^[\w.]*(Error|Exception|Interrupt|Exit)\b.*", re.MULTILINE)
# the innermost frame: last in a traceback, first in each thread of a stack dump
INNERMOST = re.compile(r"(?:.*\n)*  File \"(?P<file>[^\"]+)\"")
THREAD = re.compile(r"\(most recent call first\):\n  File \"([^\"]+)\"")
# what torch puts before each line of a traceback, and Python around a stack dump
NOISE = re.compile(
    r"^\[rank\d+\]: ?|^Fatal Python error: Aborted\n\s*|^Extension modules: .*\n?",
    re.MULTILINE,
)
WAITS = "/torch/distributed/"  # in the file where a rank waits for others
LINES = 60
WIDTH = 500  # characters of a line: somebody will print a tensor
TAIL = 65536  # bytes: somebody will print a thousand


class Outcome(NamedTuple):
    """How a rank that failed ended, and its traceback or what else it wrote."""

    rank: int
    status: int
    text: str
    printed: str = ""  # the end of its standard output
    hung: bool = False  # it still ran when it was stopped

    @property
    def interrupted(self) -> bool:
        return self.rank == 0 and self.summary() == "KeyboardInterrupt"

    def summary(self) -> str:
        """Return the line that names the error."""
        text = NOISE.sub("", self.text)
        errors = [match[0] for match in ERROR.finditer(text)]
        lines = text.strip().splitlines()
        return (errors or lines or [ended(self.status)])[-1].strip()


def script_error(error: BaseException, source: Path) -> tuple[int | None, str]:
    """Return the line of a script where an error came from, and its traceback.

    It is the one that Python would have shown, had it run the script itself.
    """
    frames = traceback.extract_tb(error.__traceback__)
    inside = [i for i, frame in enumerate(frames) if frame.filename == str(source)]
    line = frames[inside[-1]].lineno if inside else None
    if isinstance(error, SyntaxError) and error.filename == str(source):
        line, frames[:] = error.lineno, []
    elif inside:
        del frames[: inside[0]]
    head = ["Traceback (most recent call last):\n"] if frames else []
    body = traceback.format_list(frames) + traceback.format_exception_only(error)
    return line, clip("".join(head + body))


def tail(path: Path) -> str:
    """Return the end of what a process wrote, however much that was."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        return file.read(TAIL).decode("utf-8", errors="replace")


def clip(text: str, lines: int = LINES) -> str:
    """Return the last lines of a text, none of them longer than a person reads."""
    last = text.rstrip().splitlines()[-lines:]
    return "\n".join(
        line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in last
    )


def is_echo(text: str) -> bool:
    """Return whether an error is only what another rank's end or delay looks like."""
    if stacks := THREAD.findall(text):
        return any(WAITS in file for file in stacks)
    innermost = INNERMOST.match(text)
    interrupted = text.rstrip().endswith("KeyboardInterrupt")
    if innermost and interrupted and WAITS in innermost["file"]:
        return True
    return bool(CONNECTION.search(Outcome(0, 1, text).summary()))


def report(page: str, outcomes: Sequence[Outcome], early: Sequence[int] = ()) -> str:
    """Return a text that says which rank failed a page, its own words first.

    `outcomes` are the ranks that failed, rank 0 last; `early` the ranks that ended
    without an error while others failed. Empty if no rank failed, or if rank 0's own
    traceback, which Sphinx-Gallery shows, says it all.
    """
    if not outcomes:
        return ""
    least = min(map(_remoteness, outcomes))
    causes = [one for one in outcomes if _remoteness(one) == least]
    others = [one for one in outcomes if _remoteness(one) != least]
    if early and least > 0:
        was = f"{_names(early)} ended early, with exit status 0, and left the others"
        return _join(page, was, outcomes[-1:])
    groups: dict[str, list[Outcome]] = {}
    for one in causes:
        groups.setdefault(one.summary(), []).append(one)
    alike = list(groups.values())
    if not others and all(group[-1].rank == 0 for group in alike):
        return ""
    was = f"{_names([one.rank for one in alike[0]])} {_end(alike[0][0])}"
    text = _join(page, was, [group[0] for group in alike])
    then = [f"rank {one.rank} {_then(one)}" for one in others]
    return "\n".join([text, *([""] if then else []), *then])


def ended(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    return f"was ended by {signal.Signals(-status).name}"


def _then(outcome: Outcome) -> str:
    if THREAD.search(outcome.text):
        return f"waited: {outcome.summary()}"
    if outcome.interrupted:
        return "waited, and was interrupted"
    return f"then failed too: {outcome.summary()}"


def _end(outcome: Outcome) -> str:
    if outcome.interrupted or THREAD.search(outcome.text):
        return "did not end; this is where it stood"
    if outcome.hung:
        return "did not end, and did not say where it stood"
    return "failed" if outcome.rank == 0 else ended(outcome.status)


def _remoteness(outcome: Outcome) -> int:
    """Return 0 for an error of the rank's own, more for one that others caused."""
    if is_echo(outcome.text):
        return 2
    return int(outcome.interrupted)


def _names(ranks: Sequence[int]) -> str:
    names = ", ".join(str(rank) for rank in sorted(ranks))
    return f"rank {names}" if len(ranks) == 1 else f"ranks {names}"


def _join(page: str, was: str, outcomes: Iterable[Outcome]) -> str:
    parts = [f"{page}: {was}"]
    for outcome in outcomes:
        if said := clip(NOISE.sub("", outcome.text)):
            parts.append(f"rank {outcome.rank}:\n{said}")
        if printed := clip(outcome.printed, 10):
            parts.append(f"rank {outcome.rank} printed last:\n{printed}")
        if not said and not printed:
            parts.append(f"rank {outcome.rank}:\n(it wrote nothing)")
    return "\n\n".join(parts)
