"""Record what pages print here: ``python -m gallery_run``; it needs no Sphinx."""

import sys

from gallery_run.record import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
