"""`python -m benchmarks.truth`."""

import sys

from benchmarks.truth.run import main

sys.exit(main())
