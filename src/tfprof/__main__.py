"""`python -m tfprof` is the same as `tfprof`."""

from tfprof.cli import run

run()
