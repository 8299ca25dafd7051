"""Small faults in the code, each of which the tests that need no TensorFlow have to notice.

`__main__` runs the tests for every fault, `generate` makes the faults, and `covering_tests` finds
the tests that reach a line.
"""
