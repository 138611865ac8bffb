"""Start the live view without running scripts, wait for its page, and end it.

On Windows it cannot work, and has to say so.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

DEADLINE = 300  # seconds; a first start takes a minute or two


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answers(url: str, live: subprocess.Popen[str]) -> bool:
    """Wait until a page comes; give up when its server ends."""
    end = time.monotonic() + DEADLINE
    while live.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=10) as page:
                return bool(page.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(1)
    return False


def main(language: str) -> int:
    """Try one language; return the exit status."""
    port = free_port()
    command = [sys.executable, "-m", "gallery_site", "live", language, "--no-run"]
    if sys.platform == "win32":
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stderr, end="")
        return int(done.returncode == 0 or "WSL" not in done.stderr)
    live = subprocess.Popen([*command, "--port", str(port)], text=True)
    try:
        came = answers(f"http://127.0.0.1:{port}/index.html", live)
    finally:
        live.terminate()
        live.wait(30)
    print("the live view shows its page" if came else "no page came")
    return int(not came)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
