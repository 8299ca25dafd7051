"""Hand-derived costs of models beside our count and every other counter that installs.

`python -m benchmarks.truth` measures and writes docs/truth.md.
"""
