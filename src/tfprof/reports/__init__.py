"""From a view to a report: account, start, trim, show, hide, minimum, depth, sort.

    make_report     from a profile and options to a report
    report          the `Report` value and its rows
    filtered_rows   the rows that the filters leave, sorted
    account         which nodes match the account regexes, and their own numbers
    filters         which rows are shown, and in what order
    overview        the rows to look at first
    no_rows         why a report has no rows
    close_names     the name that is most like a text
    measures        the numbers of every node
    time_window     a part of a step that a report is restricted to
    wall_time       the share of nodes in the time of a step
    live_bytes      what a report says about live bytes
    regexes         RE2 regular expressions
    missing_inputs  the warning about a truncated graph

`diffs` and everything above may import it.
"""
