"""The checkers, one file each, which `tfprof.advisor.CHECKERS` lists."""
