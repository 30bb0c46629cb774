"""The targets, by kind. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["TARGETS"]

TARGETS: dict[str, str] = {
    "fake-classifier": "divulge.testing.classifier:FakeClassifier",
    "fake-encoder": "divulge.testing.encoder:FakeEncoder",
    "fake-generator": "divulge.testing.generator:FakeGenerator",
    "nlu-tagger": "divulge.targets.nlu_tagger:NluTagger",
    "own-classifier": "divulge.targets.own.classifier:OwnClassifier",
    "sentence-encoder": "divulge.targets.sentence_encoder:SentenceEncoder",
    "text-classifier": "divulge.targets.text_classifier:TextClassifier",
    "text-generator": "divulge.targets.text_generator:TextGenerator",
}
