"""Work on files of unknown authors, in a process with limits, so that it cannot harm this one.

`run_limited` (running.py) asks for a task. On Linux a template that has imported the emulator and read nobody's file
(template.py) forks a child for it; elsewhere, where a fork is missing or unsafe, a child is started (started.py). Both
answer in messages that are data only (messages.py), and end with their parent (lifetime.py).
"""

from .endings import Ending, LimitedError, LimitReachedError
from .limits import Limits, default_memory_bytes
from .running import Conversation, run_limited
