"""Engines that answer questions: DuckDB in this process, or Apache Spark.

    engine          what an engine does, and which one a name means
    duckdb_engine   DuckDB with limits for memory and disk
    spark_engine    a Spark cluster, or Spark on this machine

Both run the same Ibis expressions.
"""
