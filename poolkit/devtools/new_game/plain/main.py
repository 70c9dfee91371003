"""Plays mygame: `python main.py`, or `python -m pygbag .` for a page in the browser."""

import asyncio

from poolkit.scenes import run_async

from level import Level

if __name__ == "__main__":
    asyncio.run(run_async(Level, (640, 360), title="mygame"))
