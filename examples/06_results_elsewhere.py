"""Query results in DuckDB, store them in a folder, and read them back."""

import tempfile
from pathlib import Path

import duckdb

import headgate

scenario = headgate.load(Path(__file__).with_name("short_flows.toml"))
result = scenario.run("10 s")

flows = result.flows  # DuckDB finds the table by its name
by_size = duckdb.sql("""
    SELECT round(log2(size_packets)) AS log2_size, count(*) AS flows,
           round(avg(fct_receiver_s), 3) AS mean_fct_s
    FROM flows WHERE status = 'finished' GROUP BY ALL ORDER BY ALL
""")
print(by_size)

with tempfile.TemporaryDirectory() as folder:
    result.write(folder)
    again = headgate.read(folder)
    print(sorted(path.name for path in Path(folder).iterdir()))
    print("same digest:", again.digest == result.digest)
