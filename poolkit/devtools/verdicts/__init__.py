"""The verdict: does pooling pay for this prefab, on this machine?"""

from poolkit.devtools.verdicts.judging import verdict
from poolkit.devtools.verdicts.sentence import Pauses, Spread, Verdict

__all__ = ["Pauses", "Spread", "Verdict", "verdict"]
