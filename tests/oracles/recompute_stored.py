"""Read stored runs by DuckDB and pandas, with no code of the package."""

# fmt: off
import json
import math
from functools import cache
from pathlib import Path

import duckdb
import pandas as pd

ROOT = Path(__file__).parents[2]
PACKET_BITS = 12000
#: The scale whose results each study keeps.
STORED = {"buffer-sizing": "standard", "cubic-rfc9438": "standard", "fast": "standard",
          "fct": "standard", "flow-level": "standard", "fluid-check": "standard",
          "l4s-tests": "full", "mix": "standard", "new-controllers": "standard",
          "nist-1a": "corners", "nist-1b": "standard", "nist-2a": "corners", "nist-2b": "standard",
          "nist-2c": "corners", "nist-duration": "standard", "nist-scale": "standard",
          "nist-sensitivity": "standard", "nist-unknowns": "standard",
          "scream-tests": "full", "senders": "standard",
          "starvation": "standard", "tcp-red": "standard", "tcp-replacements": "standard",
          "vcp": "standard"}

def share(part, whole):  # as formulas call it
    return (part / whole).where((part != 0) | (whole != 0), 0.0)

@cache
def whole(file):  # a table of all runs, with the columns that formulas give
    frame, formed = duckdb.read_parquet(str(file)).df(), file.with_stem("formed")
    if not formed.exists():  # the claims of this study read no column that a formula gives
        return frame
    formulas = duckdb.read_parquet(str(formed)).df().query("file == @file.stem")
    for row in formulas.sort_values("place").itertuples():
        formula = row.formula.replace("share(", "@share(")
        frame[row.column] = frame.eval(formula).replace([math.inf, -math.inf], math.nan)
    return frame

@cache
def runs(study):  # by labels: the facts of a run, and the file of its rows
    found, folder = {}, ROOT / "studies" / "results" / study / STORED[study]
    for file in sorted(folder.glob("*/runs.parquet")):
        for texts in duckdb.read_parquet(str(file)).df()[["meta", "tables"]].to_numpy():
            meta, places = map(json.loads, texts)
            found[tuple(map(str, meta["labels"].values()))] = meta, file, places
    return found

def run(study, key, table):
    _, file, places = runs(study)[tuple(map(str, key))]
    at = places[table]
    return whole(file.with_stem(at["file"])).iloc[at["first"]:][:at["rows"]]

@cache
def load(study, table):  # rows of all runs with the table, numbered, with their labels as `of_...`
    parts = []
    for key, (meta, _, places) in runs(study).items():
        if table not in places:
            continue
        labels = {f"of_{k}": str(v) for k, v in meta["labels"].items()}
        own = run(study, key, table)
        parts.append(own.assign(**{"of_variant": ""} | labels, n=range(len(own))))
    return pd.concat(parts, ignore_index=True)

def replicates(study, *begin):
    return [key for key in runs(study) if key[:len(begin)] == tuple(map(str, begin))]

def levels(study, part, place):  # of a label, as the runs have them
    return list(dict.fromkeys(key[place] for key in runs(study) if key[0] == part))

def port(study, key, column="utilisation"):
    return run(study, key, "ports")[column].iloc[0]

def period_s(study, key):  # end of the warm-up, and end of the run
    scenario = runs(study)[tuple(map(str, key))][0]["scenario"]
    return [float(text.split()[0])
            for text in (scenario["measure"]["warmup"], scenario["duration"])]

def course(study, key, name, column):
    rows = run(study, key, "series").query("name == @name")
    return rows.t_s.to_numpy(), rows[column].to_numpy()

def jain(values):
    return values.sum() ** 2 / len(values) / (values ** 2).sum()
