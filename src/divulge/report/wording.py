"""Plain words for what stands in a result: metrics, figures, arms, access levels, kinds of finding.

What has no words here (a metric, a defence or an access of somebody's own) is called by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divulge.metrics import METRICS
from divulge.records import Measurement
from divulge.report.findings import metric_called
from divulge.report.tables import MISSING, number_text

__all__ = [
    "ANSWERS",
    "LOWER_IS_BETTER",
    "Spoken",
    "adversary_words",
    "counted",
    "figure_words",
    "group_words",
    "interval_words",
    "listed",
    "metric_words",
    "number_words",
    "pairs",
    "question",
    "spoken",
    "thousands",
    "way",
    "with_metric_words",
]

ANSWERS = {
    "leak": "Leak found",
    "none found": "None found",
    "inconclusive": "Inconclusive",
    "not attacked": "Not attacked",
}
METRIC_WORDS = {
    "trace": "Deleted canaries that stand better than controls",
    "p_value": "People known to be out who stand out as much (p-value)",
    "statistic": "How far the person stands out",
    "blind_p_value": "The same by the texts alone, without the model (p-value)",
    "trait_p_value": "The same by one trait of the texts (p-value)",
    "false_positive_rate": "People not used who are accused (false positives)",
    "trace_p_value": "Chance of such a trace if none were left (p-value)",
    "accuracy": "Secrets guessed entirely right",
    "hdt": "Missing words guessed wrong",
    "success": "Secrets found",
    "exposure": "Exposure (bits of searching saved)",
    "rank": "Median rank of the true answer",
    "auc": "People told apart (AUC)",
    "precision": "Accusations that are right (precision)",
    "recall": "People found (recall)",
    "tpr_at_fpr_0.05": "People found at 5 % false alarms",
    "tpr_at_fpr_0.01": "People found at 1 % false alarms",
    "tpr_at_fpr_0.001": "People found at 0.1 % false alarms",
    "tpr": "Members found, by false alarms",
    "cosine": "Overlap of words (cosine)",
    "order": "Order of words kept",
    "order_printed": "Order of words kept, as published",
    "bleu": "Runs of words recovered (BLEU)",
    "bleu2": "Words and pairs recovered (2-gram BLEU)",
    "rouge": "Words recovered in order (ROUGE-L)",
    "exact": "Sentences recovered word for word",
    "token_accuracy": "Words recovered in place",
    "token_f1": "Words recovered, in any order (F1)",
    "count": "Sensitive words recovered",
    "unique": "Different sensitive words recovered",
    "keyword_found": "Share of the sensitive words recovered",
    "train_accuracy": "Right answers on training texts",
    "valid_accuracy": "Right answers on validation texts",
    "test_accuracy": "Right answers on new texts",
    "intent_accuracy": "Right intents on new texts",
    "slot_f1": "Slots found on new texts (F1)",
    "entity_f1": "Entities found on new texts (F1)",
    "accuracy_gap": "Right answers on training texts, less those on new ones",
    "train_perplexity": "Perplexity on training texts",
    "test_perplexity": "Perplexity on new texts",
    "recall_at_10": "Own row among the ten nearest",
    "kept_words": "Words that rewriting left in their place",
    "kept_texts": "Texts that rewriting left as they were",
    "log_probability": "Mean log-probability of the true word",
    "word_rank": "Mean rank of the true word",
    "median_rank": "Median rank of the true word",
    "frequency_rank": "Mean rank of the word by frequency",
    "word_share": "Share of all words of the texts",
    "density": "Share of words with such a log-probability",
}
PLAIN_ENOUGH = {"density", "trace"}  # names that are words of a sentence, too
OF = {  # a metric is called otherwise where something else is counted
    "users": {"accuracy": "People judged rightly"},
    "records": {
        "accuracy": "Records judged rightly",
        "auc": "Records told apart (AUC)",
        "recall": "Records found (recall)",
        "tpr_at_fpr_0.05": "Records found at 5 % false alarms",
        "tpr_at_fpr_0.01": "Records found at 1 % false alarms",
        "tpr_at_fpr_0.001": "Records found at 0.1 % false alarms",
    },
}
PERCENT = "\N{NO-BREAK SPACE}%"
NO_PERCENT = ("auc",)  # a share of pairs, but everybody knows it as a number
PERCENT_OF_OWNER = (
    "accuracy",
    "recall_at_10",
    "coverage",
    "word_share",
    "kept_words",
    "kept_texts",
    "density",
)  # endings of figures that are no metrics
LOWER_IS_BETTER = ("perplexity", "loss", "error", "epsilon")  # endings of figures of utility
ADVERSARIES = {
    "LabelAccess": "anyone who can use the product: they see the model's decision for any text they type",
    "TopLabelAccess": "a user of a product that says how sure it is: they see the model's decision for any text they "
    "type, and how likely the model finds it",
    "LabelLikelihoodAccess": "a customer of the service, or an app that logs its scores: they see how likely the model "
    "finds every label of any text they type",
    "GradientAccess": "someone who holds the model's weights: a partner, a download, a device in the field, an insider",
    "RankedTokensAccess": "a user of a keyboard, translator or chat that offers its best words: they see the order of "
    "those words, but no likelihoods",
    "TokenLikelihoodAccess": "a customer of an interface that returns the likelihood of each word of a text",
    "EmbeddedRowsAccess": "someone who got hold of stored vectors: a thief or host of the vector database, a recipient "
    "of “anonymous” vectors",
    "EmbeddingOracleAccess": "someone who can use the same encoder on texts of their own",
}
BOTH = "EmbeddedRowsAccess", "EmbeddingOracleAccess"
QUESTIONS = {
    "canaries": "{}: can secrets in its training texts be read out{}?",
    "users": "{}: can one tell whose texts it was trained on{}?",
    "records": "{}: can one tell which texts it was trained on{}?",
    "rows": "{}: can the sentences behind its vectors be recovered?",
    "person": "{}: were the texts of one person used to train it{}?",
    "deletion": "{}: is a trace left of texts that were to be deleted{}?",
}
MEANS = {
    "LabelAccess": "from its decisions",
    "TopLabelAccess": "from its decisions and how sure it is",
    "LabelLikelihoodAccess": "from its scores",
    "GradientAccess": "given its weights",
    "RankedTokensAccess": "from the words it offers",
    "TokenLikelihoodAccess": "from the likelihood of words",
}


@dataclass(frozen=True)
class Spoken:
    """A figure in words: the value, its interval, and how many stand behind it."""

    value: str
    interval: str = ""
    n: str = ""

    @property
    def whole(self) -> str:
        """All of it, on one line."""
        behind = ", ".join(part for part in (self.interval, self.n) if part)
        return f"{self.value} ({behind})" if behind else self.value

    @property
    def short(self) -> str:
        """The value and its interval."""
        return f"{self.value} ({self.interval})" if self.interval else self.value


def question(secrets_kind: str, target: str, levels: tuple[str, ...] = ()) -> str:
    """What an audit asks, for whoever never reads a spec."""
    means = " ".join(MEANS[level] for level in levels[-1:] if level in MEANS)
    return QUESTIONS.get(secrets_kind, "{}: what does it give away{}?").format(target, means and f", {means}")


def adversary_words(levels: tuple[str, ...]) -> str:
    """Who has such access in practice."""
    if not levels:
        return "someone who asks the model nothing"
    if set(levels) == set(BOTH):
        return f"{ADVERSARIES[BOTH[0]]}; and who can use the same encoder on texts of their own"
    return "; and ".join(ADVERSARIES.get(level, f"someone with {level}") for level in levels)


def metric_words(metric: str, secrets_kind: str = "", *, inside: bool = False) -> str:
    """A metric in plain words; `inside` a sentence it begins with a small letter."""
    words = OF.get(secrets_kind, {}).get(metric) or METRIC_WORDS.get(metric, metric)
    return words[:1].lower() + words[1:] if inside else words


def figure_words(one: Measurement, secrets_kind: str = "", *, inside: bool = True) -> str:
    """A metric with what tells its figures apart."""
    return ", ".join(filter(None, [metric_words(one.metric, secrets_kind, inside=inside), group_words(one.group)]))


def with_metric_words(sentence: str, secrets_kind: str = "") -> str:
    """A sentence with the names of metrics in it put into plain words."""
    names = "|".join(sorted(map(re.escape, set(METRIC_WORDS) - PLAIN_ENOUGH), key=len, reverse=True))
    return re.sub(rf"\b({names})\b", lambda found: metric_words(found[0], secrets_kind, inside=True), sentence)


def group_words(group: Mapping[str, Any]) -> str:
    """What tells figures of one metric apart; empty if nothing does."""
    said = []
    for key, value in group.items():
        within = "with the first guess" if value == 1 else f"within the first {value} guesses"
        known = {
            "k": within,
            "choice": f"{value} choice",
            "words": f"{value} words",
            "seen": "in training texts" if value else "in new texts",
            "bin": f"log-probability {value}",
            "frequency": f"words {value} by frequency",
            "ablated": f"with {value} of hidden units at zero",
        }
        said.append(known.get(key, f"{key} {value}"))
    return ", ".join(said)


def way(metric: str) -> str:
    """Which end of the axis means that more leaks, "high" or "low"."""
    return metric_called(metric).leaks_when if metric in METRICS else "high"


def number_words(value: float | None, metric: str) -> str:
    """A number with its unit; a share in per cent, never rounded to all or nothing."""
    if value is None:
        return MISSING
    if not _in_percent(metric):
        return number_text(value)
    return f"{_hundredths(value)}{PERCENT}"


def interval_words(low: float | None, high: float | None, metric: str) -> str:
    """An interval in words, also a one-sided one."""
    if low is None and high is None:
        return ""
    if low is None or high is None:
        end = number_words(high if low is None else low, metric)
        return f"at most {end}" if low is None else f"at least {end}"
    if _in_percent(metric):
        return f"{_hundredths(low)} to {_hundredths(high)}{PERCENT}"
    return f"{number_text(low)} to {number_text(high)}"


def spoken(one: Measurement | None) -> Spoken:
    """A measurement in words; chance in closed form has no interval."""
    if one is None or one.value is None:
        return Spoken("not measured" if one is not None else MISSING)
    if one.arm == "baseline" and one.low == one.high == one.value:
        return Spoken(number_words(one.value, one.metric))
    return Spoken(
        number_words(one.value, one.metric),
        interval_words(one.low, one.high, one.metric),
        f"n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{one.n}",
    )


def counted(number: int, thing: str) -> str:
    """A number and its noun.

    >>> counted(1, "audit"), counted(2, "audit")
    ('1 audit', '2 audits')
    """
    return f"{thousands(number)} {thing}{'' if number == 1 else 's'}"


def thousands(number: int) -> str:
    """A whole number in groups of three."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def listed(words: list[str]) -> str:
    """Words in a row.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def pairs(mapping: Mapping[str, Any]) -> str:
    """Names and values in a row."""
    return ", ".join(f"{key} {value}" for key, value in mapping.items())


def _in_percent(metric: str) -> bool:
    if metric in METRICS:
        return metric_called(metric).unit == "share" and metric not in NO_PERCENT
    return metric.endswith(PERCENT_OF_OWNER)


def _hundredths(share: float) -> str:
    if 0 < share < 0.00001:
        return "<0.001"
    if 0.9995 <= share < 1:
        return ">99.9"
    return number_text(100 * share)
