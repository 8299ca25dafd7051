"""SQL over columns in DuckDB, which is imported when it is needed.

    duckdb_connection   a connection with limits, that reads what it is allowed to read
    query               run a SELECT on tables
    tables              TABLES: the tables of a profile
    sql_result          the rows of a query, and what they are written as

`fleet` and everything above may import it.
"""
