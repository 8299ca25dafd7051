"""A gate for CI: a budget, two sides, and a verdict on each limit.

    budget          what may be limited, and limits from TOML
    limit           one limit: a number, or so much more than the base has
    write_budget    a budget from a profile
    sides           the profiles of base and head, and which node of one is which of the other
    judge           a verdict from both; static numbers are compared exactly
    judge_time      time, only from a pair of captures or from several processes
    judge_memory    the peak of recorded allocations
    node_numbers    static numbers by node
    step_times      the time of each op in each step
    time_test       permutations of steps, and the Mann-Whitney test
    verdict         `Verdict`, `Check` and the rows that are responsible
    verdict_text    text and Markdown
    junit           JUnit XML

`advisor` and everything above may import it.
"""
