"""The targets, by kind. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["TARGETS"]

TARGETS: dict[str, str] = {
    "fake-classifier": "divulge.testing.classifier:FakeClassifier",
    "fake-encoder": "divulge.testing.encoder:FakeEncoder",
    "fake-generator": "divulge.testing.generator:FakeGenerator",
    "live": "divulge.targets.own.live:LiveModel",
    "nlu-tagger": "divulge.targets.nlu_tagger:NluTagger",
    "own-classifier": "divulge.targets.own.classifier:OwnClassifier",
    "own-encoder": "divulge.targets.own.encoder:OwnEncoder",
    "own-generator": "divulge.targets.own.generator:OwnGenerator",
    "own-tagger": "divulge.targets.own.tagger:OwnTagger",
    "predictions": "divulge.targets.own.predictions:FilePredictions",
    "sentence-encoder": "divulge.targets.sentence_encoder:SentenceEncoder",
    "seq2seq-generator": "divulge.targets.seq2seq_generator:Seq2SeqGenerator",
    "text-classifier": "divulge.targets.text_classifier:TextClassifier",
    "text-generator": "divulge.targets.text_generator:TextGenerator",
    "transformers-classifier": "divulge.targets.own.transformers_classifier:TransformersClassifier",
    "transformers-generator": "divulge.targets.own.transformers_generator:TransformersGenerator",
    "transformers-tagger": "divulge.targets.own.transformers_tagger:TransformersTagger",
    "vectors": "divulge.targets.own.vectors:FileVectors",
}
