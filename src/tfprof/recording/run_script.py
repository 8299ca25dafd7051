"""Run a Python script and capture some of its steps, without a change to the script."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import os
import runpy
import sys
import traceback
import zipfile
from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.recording.step_capture import FUNCTIONS, SESSIONS, StepCapture


def check_script(script: Path) -> None:
    """A LoadError if there is no such script."""
    if script.is_dir():
        raise LoadError(f"{script}: is a folder; give a Python script")
    if not script.is_file():
        raise LoadError(f"{script}: no such file; give a Python script")


def check_folder(folder: Path) -> None:
    """An OptionError if a capture cannot be written to a folder; nothing is made yet."""
    try:
        existing = folder.absolute()
        while not os.path.lexists(existing):
            # A name that no file can have is an error here.
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                existing.lstat()
            existing = existing.parent
        if not existing.is_dir():
            reason = f"{existing} is no folder"
        elif not os.access(existing, os.W_OK | os.X_OK):
            reason = f"{existing} cannot be written to"
        else:
            return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    raise OptionError(f"option '--out': '{folder}': {reason}; name another folder with --out")


def run_script(script: Path, arguments: Sequence[str], capture: StepCapture) -> int:
    """Run a script as `python SCRIPT ARGUMENTS` does, and return its exit status."""
    check_script(script)
    # As in Python, both are absolute, and modules are imported from where a link leads to.
    file, folder = os.fspath(script.absolute()), os.fspath(script.resolve().parent)
    patches: dict[str, Callable[[ModuleType], None]] = {
        FUNCTIONS: capture.watch_functions,
        SESSIONS: capture.watch_sessions,
    }
    for name in patches.keys() & sys.modules.keys():
        patches.pop(name)(sys.modules[name])
    finder = _PatchingFinder(patches)
    before = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [os.fspath(script), *arguments], folder
    sys.meta_path.insert(0, finder)
    try:
        _run_main(file)
    except SystemExit as ended:
        return _exit_status(ended)
    except Exception as fault:
        frames = fault.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename != file:
            frames = frames.tb_next
        traceback.print_exception(fault.with_traceback(frames))
        return 1
    finally:
        sys.meta_path.remove(finder)
        sys.argv, sys.path[0] = before
        capture.finish()
    return 0


def _run_main(file: str) -> None:
    """Run a file as the main module.

    `runpy` would replace the name of the script in `sys.argv`, which Python leaves as it was given.
    """
    if file.endswith(".pyc") or zipfile.is_zipfile(file):
        runpy.run_path(file, run_name="__main__")
        return
    loader = SourceFileLoader("__main__", file)
    main, before = ModuleType("__main__"), sys.modules["__main__"]
    main.__dict__.update(__file__=file, __cached__=None, __loader__=loader)
    sys.modules["__main__"] = main
    try:
        exec(loader.source_to_code(loader.get_data(file), file), main.__dict__)
    finally:
        sys.modules["__main__"] = before


def _exit_status(ended: SystemExit) -> int:
    """The status of a process that ends so, as Python has it."""
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    sys.stderr.write(f"{ended.code}\n")
    return 1


class _PatchingFinder(importlib.abc.MetaPathFinder):
    """Changes modules when they are imported."""

    def __init__(self, patches: dict[str, Callable[[ModuleType], None]]) -> None:
        self._patches = dict(patches)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:  # noqa: ARG002
        """The spec of a module to change; nothing for any other."""
        patch = self._patches.pop(name, None)
        if patch is None:
            return None
        spec = importlib.util.find_spec(name)
        loader = spec.loader if spec else None
        if loader is None or not hasattr(loader, "exec_module"):
            return None
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            patch(module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
