"""The sentences about optimality under answers and in explain: by account, by relation, and where no bound is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fractions import Fraction

import duckdb
import pytest

import tacit
from tacit.curator.dataset import Dataset
from tacit.curator.notes import planned_optimality
from tacit.loss.families.approx import Pure
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.workload.optimality.unbiased import factor_up

TOML = """\
[dataset]
name = "people"
unit = {{ {unit}, hides = "one person", relation = "{relation}" }}
budget = {{ {budget} }}

[tables.people]
source = "people.parquet"
{more}
[tables.people.columns]
sex = {{ type = "text", keys = ["f", "m"], nullable = false }}
town = {{ type = "text" }}
income = {{ type = "int", min = 0, max = 100, nullable = false }}
"""
ROWS = """\
SELECT (i // 2)::BIGINT AS pid, ['f', 'm'][1 + (i // 2) % 2] AS sex, 'town ' || (i % 3) AS town,
    (i % 101)::INTEGER AS income
FROM range(3000) AS r(i)
"""
RHO, SUMS, PURE = "epsilon = 40, delta = 1e-6", 'epsilon = 40, delta = 1e-4, currency = "sums"', "epsilon = 40"
ROW, PERSON = "row = true", 'id = "pid"'
AT_MOST = "\n[tables.people.at_most]\nrows = 2\n"
Opener = Callable[..., Dataset]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    """A data set of 3,000 rows under an account, a unit, a relation, and what else its table declares."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        known: dict[tuple[str, ...], Dataset] = {}

        def dataset(budget: str, unit: str = ROW, relation: str = "add/remove", more: str = "") -> Dataset:
            key = (budget, unit, relation, more)
            if key not in known:
                folder = tmp_path_factory.mktemp("people")
                patch.setenv("TACIT_HOME", str(folder / "home"))
                patch.setenv("TACIT_WITNESS", str(folder / "elsewhere" / "witness"))
                duckdb.sql(ROWS).write_parquet(str(folder / "people.parquet"))
                text = TOML.format(budget=budget, unit=unit, relation=relation, more=more)
                (folder / "people.toml").write_text(text, encoding="utf-8")
                known[key] = stack.enter_context(tacit.open(folder / "people.toml"))
            return known[key]

        yield dataset


def explained(dataset: Dataset, sql: str, **more: str) -> str:
    found = dataset.explain(sql, epsilon="0.5", **more)
    return " ".join(planned_optimality(found.plan, found.price, found.expected.program, found.confidence))


def factor(words: str) -> float:
    found = re.search(r"within ([\d.]+) of", words)
    return 1.0 if found is None else float(found[1])


UNBIASED = "the least that any release could have at this ρ, if it is unbiased whatever the counts are."


def test_a_count_under_rho_is_near_the_least_of_unbiased_releases(opened: Opener) -> None:
    dataset = opened(RHO)
    for sql in (
        "SELECT COUNT(*) FROM people",
        "SELECT sex, COUNT(*) FROM people GROUP BY sex",
        "SELECT COUNT(*) FROM people WHERE income > 50",
    ):
        words = explained(dataset, sql)
        assert words.endswith(UNBIASED)
        rho = dataset.explain(sql, epsilon="0.5").price.strength / 2
        assert factor_up(1 / (2 * rho), 1, rho) ** 0.5 <= factor(words) <= 1.01
        assert words in " ".join(dataset.query(sql, epsilon="0.5").notes)


def test_columns_have_their_shares(opened: Opener) -> None:
    words = explained(opened(RHO), "SELECT COUNT(*), SUM(income), AVG(income) FROM people")
    assert words.count("at its share of ρ") == 2
    assert "The noise of COUNT(*) is within 1.00" in words
    assert "The noise of SUM(income) is within 1.00" in words
    assert words.endswith("No bound is known of AVG(income).")


def test_pure_counts_have_the_narrowest_intervals(opened: Opener) -> None:
    """Held against the discrete Laplace law itself, which has no fine grid and attains the optimum."""
    dataset, sql = opened(PURE), "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"
    words = "The intervals are the narrowest that any release could have at this ε for all counts, in whole numbers."
    assert explained(dataset, sql) == words
    answer = dataset.query(sql, epsilon="0.5")
    assert words in answer.notes
    row = answer.table.to_pylist()[0]
    assert row["n_high"] - row["n"] == DiscreteLaplace(2).spread(Fraction(95, 100))
    assert "narrowest that any release could have at its share of ε for all sums" in explained(
        dataset, "SELECT COUNT(*), SUM(income) FROM people"
    )


def test_an_epsilon_and_delta_has_no_least_variance(opened: Opener) -> None:
    """Gaussian noise is far from what (ε, δ) would permit for one count alone, and that is said."""
    words = explained(opened(SUMS), "SELECT COUNT(*) FROM people")
    assert words.endswith("could have at this ε and δ for all counts, in whole numbers.")
    assert "unbiased" not in words
    assert 2 < factor(words) < 6


def test_under_replace_the_number_of_people_is_public(opened: Opener) -> None:
    dataset = opened(RHO, relation="replace")
    assert explained(dataset, "SELECT COUNT(*) FROM people WHERE income > 50") == "No bound is known."
    words = explained(dataset, "SELECT sex, COUNT(*) FROM people GROUP BY sex")
    assert 2 < factor(words) < 2.02  # noise for a norm of 2, where two people who change places have √2


def test_whoever_is_scaled_has_no_bound(opened: Opener) -> None:
    """Explain says so; an answer says nothing."""
    dataset = opened(RHO, PERSON)
    for sql in ("SELECT COUNT(*) FROM people", "SELECT sex, SUM(income) FROM people GROUP BY sex"):
        assert explained(dataset, sql) == "No bound is known."
        assert "No bound is known." in str(dataset.explain(sql, epsilon="0.5"))
        assert "bound is known" not in dataset.explain(sql, epsilon="0.5").brief()
        assert "bound is known" not in str(dataset.query(sql, epsilon="0.5"))
    assert explained(dataset, "SELECT COUNT(DISTINCT pid) FROM people").endswith(UNBIASED)


def test_a_limit_that_is_the_most_there_can_be_scales_nobody(opened: Opener) -> None:
    dataset = opened(RHO, PERSON, more=AT_MOST)
    sure = {"interval": "guaranteed"}
    assert factor(explained(dataset, "SELECT sex, COUNT(*) FROM people GROUP BY sex", **sure)) < 1.01
    distinct = explained(dataset, "SELECT sex, COUNT(DISTINCT pid) FROM people GROUP BY sex", **sure)
    assert distinct.endswith(UNBIASED)
    assert 1.22 < factor(distinct) < 1.25  # noise for 2 in each of two groups, where 8/3 in both together would do
    assert "bound" not in explained(dataset, "SELECT SUM(income) FROM people", **sure)


def test_private_keys_are_taken_as_they_are_shown(opened: Opener) -> None:
    dataset, sql = opened(RHO), "SELECT town, COUNT(*) FROM people GROUP BY town"
    words = "at its share of ρ, if it is unbiased whatever the counts of the groups shown are."
    assert words in explained(dataset, sql)
    assert words in str(dataset.query(sql, epsilon=2)).replace("\n ", " ")
    assert explained(opened(SUMS), sql) == "No bound is known."


def test_nothing_is_refused_where_a_price_hides_nothing(opened: Opener) -> None:
    """The sentence is under an answer that is paid for: it may be empty, but must never fail."""
    for budget in ("epsilon = 1e6, delta = 1e-6", "epsilon = 1e6", 'epsilon = 1e6, delta = 1e-6, currency = "sums"'):
        dataset = opened(budget)
        for sql in ("SELECT COUNT(*) AS n FROM people", "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"):
            answer = dataset.query(sql, epsilon=100_000)
            assert sum(row["n"] for row in answer.table.to_pylist()) == 3000
            assert "bound" not in str(answer)


def test_values_medians_and_keys_alone_have_none(opened: Opener) -> None:
    dataset = opened(RHO)
    assert explained(dataset, "SELECT COUNT(DISTINCT town), MEDIAN(income) FROM people") == "No bound is known."
    assert explained(dataset, "SELECT DISTINCT town FROM people") == ""


def test_the_confidence_decides_the_interval(opened: Opener) -> None:
    dataset = opened(PURE)
    for confidence in ("0.5", "0.99"):
        words = explained(dataset, "SELECT COUNT(*) FROM people", confidence=confidence)
        assert factor(words) <= 2
        assert "narrowest" in words
    assert dataset.explain("SELECT COUNT(*) FROM people", epsilon="0.5").price.charge == Pure("0.5")


CUBE = "SELECT sex, income // 50 AS half, COUNT(*) AS n FROM people GROUP BY CUBE(sex, half)"


def test_tables_name_what_is_known_of_them(opened: Opener) -> None:
    """Counts and sums, each at its share; of means none; in an account without ρ it is named."""
    dataset = opened(RHO)
    one = dataset.tables(CUBE, epsilon=1).optimality
    assert one.startswith("The noise over all tables is within 1.0")
    assert one.endswith("could have at this ρ, if it is unbiased whatever the cells are.")
    two = dataset.tables(CUBE.replace(" AS n", " AS n, SUM(income) AS s"), epsilon=1).optimality
    assert "at its share of ρ" in two
    mean = dataset.tables(CUBE.replace(" AS n", " AS n, AVG(income) AS s"), epsilon=1).optimality
    assert mean.startswith("The noise of COUNT(*) over all tables is within 1.0")
    assert mean.endswith("No bound is known of AVG(income).")
    keys = "SELECT sex, town, COUNT(*) AS n FROM people GROUP BY CUBE(sex, town)"
    assert "whatever the cells of the values shown are" in dataset.tables(keys, epsilon=2).optimality
    assert "at ρ = " in opened(SUMS).tables(CUBE, epsilon=1).optimality


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(income) AS s FROM people WHERE income < 50",
        "SELECT SUM(income) FILTER (WHERE income < 50) AS s FROM people",
        "SELECT income // 20 AS k, SUM(income) AS s FROM people GROUP BY k",
        "SELECT SUM(income - income) AS s FROM people",
        "SELECT SUM(CASE WHEN income < 50 THEN income END) AS s FROM people",
    ],
)
@pytest.mark.parametrize("budget", [RHO, PURE])
def test_a_sum_that_nobody_can_move_by_its_bounds_has_none(opened: Opener, sql: str, budget: str) -> None:
    """Nobody adds 100 here: noise for what they can add is unbiased, and below what was the least for 100."""
    assert explained(opened(budget), sql) == "No bound is known."
    assert explained(opened(budget), "SELECT SUM(income) AS s FROM people WHERE sex = 'f'") != "No bound is known."


def test_tables_of_sums_by_their_own_values_have_none(opened: Opener) -> None:
    sql = "SELECT sex, income // 26 AS k, COUNT(*) AS n, SUM(income) AS s FROM people GROUP BY CUBE(sex, k)"
    said = opened(RHO).tables(sql, epsilon=1).optimality
    assert said.startswith("The noise of COUNT(*) over all tables is within 1.0")
    assert said.endswith("No bound is known of SUM(income).")


def test_tables_under_replace_and_with_at_most(opened: Opener) -> None:
    moved = opened(RHO, relation="replace").tables(CUBE, epsilon=1).optimality
    assert 1.4 < factor(moved) < 2.5  # noise for twice the norm, and a total that is public anyway
    sure = opened(RHO, PERSON, more=AT_MOST).tables(CUBE, epsilon=1, interval="guaranteed").optimality
    assert factor(sure) <= 1.02
    assert opened(RHO, PERSON).tables(CUBE, epsilon=1).optimality == "No bound is known."


def test_tables_are_held_against_what_their_noise_was(opened: Opener) -> None:
    """The residual basis is the Gaussian optimum: what is left is (e^{2ρ} − 1)/2ρ, and the rounding of its scales."""
    sql = "SELECT sex, COUNT(*) AS n FROM people GROUP BY ROLLUP(sex)"
    dataset = opened(RHO)
    rho = dataset.explain("SELECT COUNT(*) FROM people", epsilon=1).price.strength / 2
    released = dataset.tables(sql, epsilon=1)
    wanted = factor_up(1 / (2 * rho), 1, rho) ** 0.5
    assert wanted <= factor(released.optimality) <= wanted * 1.003
