"""The targets, by kind. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["TARGETS"]

TARGETS: dict[str, str] = {
    "fake-classifier": "divulge.testing.classifier:FakeClassifier",
    "fake-encoder": "divulge.testing.encoder:FakeEncoder",
    "fake-generator": "divulge.testing.generator:FakeGenerator",
}
