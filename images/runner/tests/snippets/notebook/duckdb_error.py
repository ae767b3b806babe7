# An error of DuckDB
import duckdb
duckdb.sql("select nothing from nowhere")
