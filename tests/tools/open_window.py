"""A backend of matplotlib whose window stays open, as on a laptop with a screen.

``MPLBACKEND=module://open_window`` selects it. While the window is open, which is
``WINDOW_SECONDS`` or for no time at all, the program stands still. No other rank may
wait for it then, so it is an error to show a window while a process group is open.
"""

import os
import sys
import time

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Keep the window open; called by ``plt.show``."""
        dist = sys.modules.get("torch.distributed")
        if dist is not None and dist.is_initialized():
            raise RuntimeError("a window opens while other ranks may wait")
        time.sleep(float(os.environ.get("WINDOW_SECONDS", "0")))
        print("a window was shown")


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
