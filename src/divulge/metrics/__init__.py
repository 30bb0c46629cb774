"""The metrics: pure functions of guesses and answers, and the figures made of them."""

from __future__ import annotations

__all__ = ["METRICS"]

METRICS: dict[str, str] = {
    "accuracy": "divulge.metrics.accuracy:Accuracy",
    "hdt": "divulge.metrics.extraction:HammingDistance",
    "success": "divulge.metrics.extraction:Success",
    "exposure": "divulge.metrics.extraction:Exposure",
    "rank": "divulge.metrics.extraction:Rank",
    "auc": "divulge.metrics.membership:AreaUnderCurve",
    "precision": "divulge.metrics.membership:Precision",
    "recall": "divulge.metrics.membership:Recall",
    "tpr_at_fpr_0.05": "divulge.metrics.membership:LooseTruePositiveRate",
    "tpr_at_fpr_0.01": "divulge.metrics.membership:TruePositiveRate",
    "tpr_at_fpr_0.001": "divulge.metrics.membership:RareTruePositiveRate",
    "tpr": "divulge.metrics.curve:TruePositiveCurve",
    "cosine": "divulge.metrics.reconstruction:Cosine",
    "order": "divulge.metrics.reconstruction:OrderSimilarity",
    "order_printed": "divulge.metrics.reconstruction:OrderAsPrinted",
    "bleu": "divulge.metrics.reconstruction:Bleu",
    "bleu2": "divulge.metrics.reconstruction:BleuOfPairs",
    "rouge": "divulge.metrics.reconstruction:Rouge",
    "exact": "divulge.metrics.reconstruction:ExactSentence",
    "token_accuracy": "divulge.metrics.reconstruction:TokenAccuracy",
    "token_f1": "divulge.metrics.reconstruction:TokenF1",
    "count": "divulge.metrics.keywords:KeywordCount",
    "unique": "divulge.metrics.keywords:UniqueKeywordCount",
    "keyword_found": "divulge.metrics.keyword_share:KeywordFound",
}
