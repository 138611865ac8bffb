"""Let no Python process ask another host; Python imports this at each start.

A folder in front of PYTHONPATH puts it in force. Each attempt is a line of the file
that ATTEMPTS names, since whoever asks may go on without an answer.
"""

import os
import sys
from typing import Any

OURS = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "", None)


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Note and refuse what would leave this machine."""
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(
        arguments[1], tuple
    ):
        host = arguments[1][0]  # a socket of a file has no host
    else:
        return
    if host not in OURS:
        with open(os.environ["ATTEMPTS"], "a", encoding="utf-8") as attempts:
            print(event, host, sys.argv, file=attempts)
        raise OSError(f"no other host may be asked: {host}")


sys.addaudithook(refuse)
