"""The clinic of patients, for models through the door."""

from tests.learn.test_learning import clinic

__all__ = ["clinic"]
