"""SmartNoise SQL on DuckDB: the unit is a person, five rows per person count. It has no quantiles."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import duckdb
from query_turn import take_turn
from snsql import Privacy
from snsql.sql.private_reader import PrivateReader
from snsql.sql.reader.sqlite import SQLiteReader

QUESTIONS = {
    "W1": "SELECT COUNT(*) AS n, SUM(amount) AS s FROM main.events",
    "W2": "SELECT region, COUNT(*) AS n, SUM(amount) AS s FROM main.events GROUP BY region",
    "W3": "SELECT category, COUNT(*) AS n, SUM(amount) AS s FROM main.events GROUP BY category",
    "W5": "SELECT region, COUNT(DISTINCT user_id) AS n FROM main.events GROUP BY region",
}
SHARES = {"W1": 1 / 2, "W2": 1 / 2, "W3": 1 / 3, "W5": 1}  # it takes an ε for each noisy column; W3 counts people too


class DuckReader(SQLiteReader):
    """DuckDB in the place of SQLite. DuckDB orders no window by RANDOM(): the number is drawn one level below."""

    def execute(self, query, *_, accuracy=False):
        del accuracy
        sql = str(query).replace("main.events", "events").replace("RANDOM ( )", "drawn")
        sql = sql.replace("SELECT user_id AS user_id", "SELECT random() AS drawn, user_id AS user_id")
        done = self.conn.execute(sql)
        return [tuple(column[0] for column in done.description), *done.fetchall()]


def described(workload):
    """The metadata of the table; it has no public keys, so only W3 hides rare ones."""
    table = {
        "max_ids": 5,
        "row_privacy": False,
        "sample_max_ids": True,
        "censor_dims": workload == "W3",
        "user_id": {"type": "int", "private_id": True},
        "region": {"type": "string"},
        "category": {"type": "string"},
        "amount": {"type": "float", "lower": 0.0, "upper": 500.0},
    }
    return {"": {"main": {"events": table}}}


def open_file(path, workload):
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    connection.read_parquet(path).select("user_id, region, category, amount").create_view("events")
    privacy = Privacy(epsilon=SHARES[workload], delta=1e-6)
    return PrivateReader(DuckReader(connection), described(workload), privacy=privacy)


def answering(workload):
    def answer(reader):
        rows = reader.execute(QUESTIONS[workload])[1:]
        if workload == "W1":
            rows = [("", *row) for row in rows]
        if workload == "W5":
            return {key: {"people": n} for key, n in rows}
        return {key: {"count": n, "sum": s, "mean": s / max(n, 1)} for key, n, s in rows}

    return answer


take_turn(open_file, {workload: answering(workload) for workload in QUESTIONS})
