"""The attacks, by name. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["ATTACKS"]

ATTACKS: dict[str, str] = {
    "binary-classifiers": "divulge.attacks.binary_classifiers:BinaryClassifiers",
    "blind": "divulge.attacks.baselines:Blind",
    "calibrated-likelihood": "divulge.attacks.calibrated_likelihood:CalibratedLikelihood",
    "calibrated-ratio": "divulge.attacks.calibrated_ratio:CalibratedRatio",
    "decision-tree": "divulge.attacks.keyword_classifiers:DecisionTree",
    "decoder-pretrained": "divulge.attacks.adversarial_decoder:PretrainedDecoder",
    "decoder-vanilla": "divulge.attacks.adversarial_decoder:VanillaDecoder",
    "discrete-search": "divulge.attacks.discrete_search:DiscreteSearch",
    "dnn": "divulge.attacks.keyword_classifiers:DeepNetwork",
    "gei": "divulge.attacks.gei:GradientInversion",
    "knn": "divulge.attacks.keyword_classifiers:NearestNeighbours",
    "label-likelihood": "divulge.attacks.label_likelihood:LabelLikelihood",
    "label-match": "divulge.attacks.label_match:LabelMatch",
    "lira": "divulge.attacks.lira:LikelihoodRatio",
    "nearest-embedding": "divulge.attacks.nearest_embedding:NearestEmbedding",
    "nearest-sentence": "divulge.attacks.nearest_sentence:NearestSentence",
    "parallel-decoder": "divulge.attacks.parallel_decoder:ParallelDecoder",
    "pooled-inverter": "divulge.attacks.pooled_inverter:PooledInverter",
    "random": "divulge.attacks.baselines:Random",
    "rank-histogram": "divulge.attacks.rank_histogram:RankHistogram",
    "record-loss": "divulge.attacks.record_loss:RecordLoss",
    "rmia": "divulge.attacks.rmia:RelativeRatio",
    "soft-token": "divulge.attacks.soft_token:SoftToken",
    "soft-token-32": "divulge.attacks.soft_token:SoftTokenRestarted",
    "text-likelihood": "divulge.attacks.text_likelihood:TextLikelihood",
}
