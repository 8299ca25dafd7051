"""Bad files that people have, made by hand: `python -m fuzz.bad` writes them to tests/data/bad.

Each is small, named by what is wrong with it, and stands in the folder of the target that reads it.
What the fuzzer finds is kept beside them under the name of its bytes.
"""
