"""Hostile inputs for every reader and parser, made from real ones: `python -m fuzz`.

seeds ─mutate▶ bytes ─target▶ nothing, or a TfprofError        anything else is a failure

    seeds samples odd        what mutation starts with; numbers and names that broke programs
    mutate schema parquet    by bytes, tokens and fields; messages by schema; tables by value
    targets/                 what is fuzzed: a function of bytes for each reader and analysis
    ask                      questions to what a reader lets in
    worker guard             a process that tries inputs, with its budgets; what is a failure
    source_coverage status   the lines that are reached; what a worker is doing
    guided                   coverage-guided, with atheris
    bad/                     writes tests/data/bad: files that are wrong in one way each
"""
