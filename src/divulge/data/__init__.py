"""The data: known data sets and synthetic corpora by name, and users' own files by path.

A data set is one file here and one line in `DATA`.
"""

from __future__ import annotations

__all__ = ["DATA"]

DATA: dict[str, str] = {
    "atis": "divulge.data.atis:Atis",
    "banking77": "divulge.data.banking77:Banking77",
    "blog-authorship": "divulge.data.blog_authorship:BlogAuthorship",
    "cms": "divulge.data.cms:Cms",
    "cornell-dialogs": "divulge.data.cornell_dialogs:CornellDialogs",
    "europarl-en-fr": "divulge.data.europarl_en_fr:EuroparlEnFr",
    "mtsamples": "divulge.data.mtsamples:MtSamples",
    "nlu-evaluation": "divulge.data.nlu_evaluation:NluEvaluation",
    "reddit-topics": "divulge.data.reddit_topics:RedditTopics",
    "sated-en-fr": "divulge.data.sated_en_fr:SatedEnFr",
    "several": "divulge.data.several:Several",
    "skytrax": "divulge.data.skytrax:Skytrax",
    "snips": "divulge.data.snips:Snips",
    "synthetic-sentences": "divulge.data.synthetic.sentences:SyntheticSentences",
    "synthetic-topics": "divulge.data.synthetic.topics:SyntheticTopics",
    "synthetic-users": "divulge.data.synthetic.users:SyntheticUsers",
    "synthetic-utterances": "divulge.data.synthetic.utterances:SyntheticUtterances",
    "twitter-airline": "divulge.data.twitter_airline:TwitterAirline",
    "ubuntu-dialogs": "divulge.data.ubuntu_dialogs:UbuntuDialogs",
    "wikitext": "divulge.data.wikitext:WikiText",
}
