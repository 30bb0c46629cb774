"""The attacks, by name. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["ATTACKS"]

ATTACKS: dict[str, str] = {
    "blind": "divulge.attacks.baselines:Blind",
    "discrete-search": "divulge.attacks.discrete_search:DiscreteSearch",
    "label-likelihood": "divulge.attacks.label_likelihood:LabelLikelihood",
    "label-match": "divulge.attacks.label_match:LabelMatch",
    "lira": "divulge.attacks.lira:LikelihoodRatio",
    "nearest-embedding": "divulge.attacks.nearest_embedding:NearestEmbedding",
    "parallel-decoder": "divulge.attacks.parallel_decoder:ParallelDecoder",
    "random": "divulge.attacks.baselines:Random",
    "rank-histogram": "divulge.attacks.rank_histogram:RankHistogram",
    "record-loss": "divulge.attacks.record_loss:RecordLoss",
    "rmia": "divulge.attacks.rmia:RelativeRatio",
    "soft-token": "divulge.attacks.soft_token:SoftToken",
    "soft-token-32": "divulge.attacks.soft_token:SoftTokenRestarted",
    "text-likelihood": "divulge.attacks.text_likelihood:TextLikelihood",
}
