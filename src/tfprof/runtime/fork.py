"""Free the locks of imports in a child of `os.fork`: the threads that hold them are not there.

Arrow looks for `dateutil` again and again where it is not installed, and a public name of tfprof is
imported when it is used. Python keeps a lock per module meanwhile, and does not free it in a child,
which then waits forever for a module that another thread of its parent was looking for.
"""

from __future__ import annotations

import os
from importlib import _bootstrap


def _free_import_locks() -> None:
    # Without an entry Python makes a new lock. Not every Python has this table.
    getattr(_bootstrap, "_module_locks", {}).clear()


def free_import_locks_in_children() -> None:
    """From now on; called once, when the module that opens profiles is imported."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_free_import_locks)
