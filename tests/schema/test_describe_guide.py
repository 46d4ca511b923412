"""The steward's guide is correct: its file is read, and Tacit's refusals are those it lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.schema.clinic_file import read

from tacit.schema.names import RefusedDescription

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "describe-your-data.md").read_text(encoding="utf-8")
FILE = GUIDE.split("```toml\n")[1].split("```")[0]
REFUSALS = re.findall(r"^\| `([^`]+)` \| ([a-z]+\.[^|]+) \|", GUIDE, re.MULTILINE)
BUDGETS = re.findall(r"`(\{ (?:epsilon|rho)[^`]+\})`", GUIDE.split("## The budget")[1].split("## Tables")[0])


def with_line(line: str) -> str:
    """The guide's file with this line in place of the first of that name, or else as the last column of visits."""
    name = line.split(" = ")[0]
    text, found = re.subn(rf"^{name} = .*$", line, FILE, count=1, flags=re.MULTILINE)
    return text if found else FILE.replace("\n\n[tables.prescriptions]", f"\n{line}\n\n[tables.prescriptions]")


def test_the_file_of_the_guide_is_read(tmp_path: Path) -> None:
    assert list(read(tmp_path, FILE).tables) == ["visits", "prescriptions", "patients"]


@pytest.mark.parametrize(("line", "said"), REFUSALS)
def test_a_refusal_of_the_guide_is_what_tacit_says(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(RefusedDescription) as caught:
        read(tmp_path, with_line(line))
    assert [f"{problem.key}: {problem.why}" for problem in caught.value.problems] == [said.strip()]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_budget_of_the_guide_is_read(tmp_path: Path, budget: str) -> None:
    assert read(tmp_path, with_line(f"budget = {budget}")).budget


def test_the_tables_of_the_guide_were_found() -> None:
    assert (len(REFUSALS), len(BUDGETS)) == (18, 5)
