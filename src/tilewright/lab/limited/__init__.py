"""Work on a file that somebody else wrote, in a process with limits: what happens there happens to that process alone.

`run_limited` (running.py) asks for a task. On Linux a template that has imported the emulator and read nobody's file
(template.py) forks a child for it; elsewhere, where a fork is missing or unsafe, a child is started (started.py). Both
answer in messages that run nothing when they are read (messages.py), and end with who started them (lifetime.py).
"""

from .endings import Ending, LimitedError, LimitReachedError
from .limits import Limits, default_memory_bytes
from .running import Conversation, run_limited

__all__ = [
    "Conversation",
    "Ending",
    "LimitReachedError",
    "LimitedError",
    "Limits",
    "default_memory_bytes",
    "run_limited",
]
