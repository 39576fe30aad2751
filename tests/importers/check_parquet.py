"""Opens the table of a study in pandas, Polars and DuckDB and compares every cell.

Usage: check_parquet.py TABLE EXPECTED COLUMN

EXPECTED is a text file: a line of metadata (key=value, tabs between), a line of column names, then
one line for each row with tabs between the cells. A cell is "-" (missing), "r:" and the 16
hexadecimal digits of a real number's bits, "i:" an integer, "b:" 0 or 1, "t:" a text. COLUMN is a
column of finite numbers.
"""

import struct
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet


def parse(cell):
    kind, _, text = cell.partition(":")
    if cell == "-":
        return None
    if kind == "r":
        return struct.unpack(">d", bytes.fromhex(text))[0]
    if kind == "i":
        return int(text)
    if kind == "b":
        return text == "1"
    return text


def bits(value):
    """A value in a form that compares NaN by its bits."""
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    return value


def compare(tool, names, rows, expected_names, expected_rows):
    assert names == expected_names, f"{tool}: columns {names}"
    assert len(rows) == len(expected_rows), f"{tool}: {len(rows)} rows"
    for number, (row, expected) in enumerate(zip(rows, expected_rows)):
        for name, found, wanted in zip(names, row, expected):
            same_kind = type(found) is type(wanted)
            assert same_kind and bits(found) == bits(wanted), (
                f"{tool}: row {number}, {name}: {found!r} for {wanted!r}"
            )
    print(f"{tool}: {len(rows)} rows of {len(names)} columns agree")


def from_pandas(path):
    # Arrow-backed columns keep missing values apart from NaN.
    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    columns = [pyarrow.array(frame[name].array).to_pylist() for name in frame.columns]
    return list(frame.columns), list(zip(*columns))


def from_polars(path):
    frame = polars.read_parquet(path)
    return frame.columns, frame.rows()


def from_duckdb(path):
    relation = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")
    return relation.columns, relation.fetchall()


def main():
    path, expected_path, column = sys.argv[1:]
    with open(expected_path, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    metadata = dict(entry.split("=", 1) for entry in lines[0].split("\t"))
    names = lines[1].split("\t")
    rows = [tuple(parse(cell) for cell in line.split("\t")) for line in lines[2:]]
    for tool, read in [("pandas", from_pandas), ("Polars", from_polars), ("DuckDB", from_duckdb)]:
        compare(tool, *read(path), names, rows)

    # What a user does first: plain pandas, a number by a column with its unit.
    plain = pandas.read_parquet(path)
    low, high = plain[column].min(), plain[column].max()
    assert plain[column].between(low, high).all() and low < high
    count = duckdb.sql(
        f"SELECT count(*) FROM read_parquet('{path}') WHERE status = 'failed'"
    ).fetchall()[0][0]
    assert count == (plain["status"] == "failed").sum() > 0

    stored = pyarrow.parquet.read_metadata(path).metadata
    for key, value in metadata.items():
        found = stored[key.encode()].decode()
        assert found == value, f"{key}: {found!r} for {value!r}"
    print("metadata agree:", ", ".join(sorted(metadata)))


main()
