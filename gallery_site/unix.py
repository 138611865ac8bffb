"""Say on Windows at once what works there, instead of an import that fails.

The builds and the live view fork processes, and the runner ends whole trees of them.
"""

import sys

if sys.platform == "win32":
    sys.exit(
        "gallery_site needs Linux or macOS, on Windows WSL; without it these work:"
        " po-check-cjk, python -m gallery_intl todo, progress, reviewed, and each"
        " page's program"
    )
