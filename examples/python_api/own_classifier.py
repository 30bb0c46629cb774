"""Your own scikit-learn classifier: can secrets in its training texts be read out of it?

The classifier is handed over unfitted. Divulge fits a copy of it for each of twenty training sets, each with one
made-up secret in it, and tries to read that secret out of the probabilities.
"""

from __future__ import annotations

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import divulge

TEXTS = [
    *((f"the parcel number {number} came late and the box was torn", "delivery") for number in range(60)),
    *((f"invoice {number} was charged twice please send the money back", "billing") for number in range(60)),
    *((f"how do i change the colour of chart {number} in the app", "usage") for number in range(60)),
]

classifier = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=100))

result = divulge.audit(
    classifier,
    data=TEXTS,
    secrets={
        "pattern": "my door code is {color*2}",  # {color*2}: two colours that the adversary does not know
        "label": "delivery",
        "copies": 3,
        "count": 1,
        "controls": 1,
        "decoys": 143,
    },
    models=20,
)

print(result.summary())
result.report("own_classifier.html")
