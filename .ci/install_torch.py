"""Install the build of torch that this machine can use, and say which one and why.

The CPU build takes 0.2 GB to download, the CUDA build 3 GB with its libraries. Where
the one that fits cannot be had, the other is installed: the pages run with either.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

LOCKS = Path(__file__).resolve().parents[1] / "locks"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # PyTorch's own, for its CPU builds
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
LOCKED = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile"]


def has_nvidia_gpu() -> bool:
    """Tell whether the driver of NVIDIA lists a GPU."""
    if Path("/dev/nvidia0").exists():  # a container may lack the command
        return True
    try:
        listed = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return listed.returncode == 0 and "GPU " in listed.stdout


def choose(wanted: str) -> tuple[str, str]:
    """Return the build to install, "cpu", "cuda" or "mac", and the reason."""
    if sys.platform == "darwin":
        return "mac", "a Mac has only one"
    if wanted:
        return wanted, f"you said TORCH={wanted}"
    if has_nvidia_gpu():
        return "cuda", "there is an NVIDIA GPU"
    return "cpu", "there is no NVIDIA GPU"


def install(build: str) -> str:
    """Install one build of torch; return what pip said if it cannot be had."""
    if build == "cpu":
        source = ["--retries", "1", "--extra-index-url", CPU_INDEX]
        return pip(*source, "-r", str(LOCKS / "torch-cpu.txt"))
    return pip("-r", str(LOCKS / "torch.txt"))


def pip(*arguments: str) -> str:
    """Run pip on a lock; return its errors, "" if all went well."""
    done = subprocess.run(
        [*PIP, *LOCKED, *arguments], stderr=subprocess.PIPE, text=True
    )
    return (done.stderr or "pip failed") if done.returncode else ""


def installed() -> str:
    """Return the version of torch that is there, with its build, if it is ours."""
    locked = re.search(r"^torch==(\S+)", (LOCKS / "torch.txt").read_text("utf-8"), re.M)
    try:
        there = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""
    return there if locked and there.partition("+")[0] == locked[1] else ""


def needs_cuda_libraries() -> bool:
    """Tell whether the torch that is there is a CUDA build from PyPI."""
    importlib.invalidate_caches()  # it may have been installed just now
    needed = metadata.distribution("torch").requires or []
    return any(one.startswith("nvidia-") for one in needed)


def install_torch(wanted: str) -> None:
    """Install the build that fits, else the other one, else say what to do."""
    build, reason = choose(wanted)
    print(f"torch: the {build} build, for {reason}", flush=True)
    if not (refused := install(build)):
        return
    other = {"cpu": "cuda", "cuda": "cpu"}.get(build, "")
    if other and not install(other):
        print(f"torch: the {build} build could not be had; it is the {other} build")
        return
    print(refused, file=sys.stderr)
    sys.exit(
        "no build of torch in locks/ can be had here: install one of the same version"
        f" into {sys.prefix} by hand and run make again"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", nargs="?", default="", choices=["", "cpu", "cuda"])
    wanted = parser.parse_args().build
    if there := installed():
        print(f"torch: {there} is there already, and stays")
    else:
        install_torch(wanted)
    if needs_cuda_libraries() and (refused := pip("-r", str(LOCKS / "cuda.txt"))):
        sys.exit(refused)


if __name__ == "__main__":
    main()
