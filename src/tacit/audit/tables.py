"""Tables among answers: data frames and the like as plain lists, which can be compared and counted."""

from __future__ import annotations

from typing import Any


def plain(answer: Any) -> Any:
    """A frame of pandas, Polars or Arrow as a mapping of its columns to lists, a series as a list."""
    if hasattr(answer, "columns") and hasattr(answer, "to_dict"):
        return {str(name): list(answer[name].to_list()) for name in answer.columns}
    if hasattr(answer, "to_pydict"):
        return answer.to_pydict()
    if hasattr(answer, "to_pylist"):
        return answer.to_pylist()
    return answer.to_list() if hasattr(answer, "to_list") else answer
