"""The clinic of patients, for models through the door."""

from tests.learn.test_additive_models import clinic

__all__ = ["clinic"]
