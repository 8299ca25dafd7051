"""From a view to a report: account, start, trim, show, hide, minimum, depth, sort.

    report     the `Report` value and how it is made
    account    which nodes match the account regexes, and their own numbers
    filters    which rows are shown, and in what order
    measures   the numbers of every node
    regexes    RE2 regular expressions

Outputs, advisor and front ends may import it.
"""
