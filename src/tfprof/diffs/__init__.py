"""What differs between two profiles: rows of both, matched, with before, after and delta.

    make_diff       from two profiles and a request to a diff
    diff            the `Diff` value and its rows
    merged_rows     the rows of two reports as one tree, with the numbers of both
    filter_rows     which of them are shown, and in what order
    overview        the rows to look at first
    match_rows      which row of the one report is which of the other, in each view
    scope_matches   the same for names, by scope
    numbered_names  siblings whose names differ by counters
    scope_renames   scopes and nodes that were renamed
    word_replacer   replaces renamed words inside of names
    component_names the parts of names, as numbers
    contents        hashes of what is in scopes
    node_shapes     op types and shapes of nodes, as numbers
    child_lookup    children of rows by a key
    batch_size      the batch size that one side leaves open
    default_select  what is compared unless it is asked for
    moved_lines     the same for lines of code

What all rows add up to is exact: whole = changed + added + removed. `outputs` and everything above
may import it.
"""
