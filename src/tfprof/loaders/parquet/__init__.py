"""Folders of Parquet tables, as `outputs.profile_tables` writes them, to profiles.

    profile_tables   a folder to a profile; the names of tables and columns
    checks           what has to hold for the tables of a profile
    file             a file to a table, within bounds of memory
    footer, pages    sizes of column chunks and pages, before anything is unpacked
    thrift           the protocol of both

Other packages import `profile_tables`.
"""
