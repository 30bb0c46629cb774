"""Reddit topics: posts of a hundred subreddits, to be told which one they were written in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from divulge.data.class_sizes import ClassifiedTexts, ClassSizes
from divulge.data.corpus import Corpus
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.records import Text

__all__ = ["RedditTopics"]

POSTS = "posts.jsonl.gz"
SUBREDDITS = """AlienBlue AskCulinary AskHistorians AskMen AskSocialScience Borderlands BuyItForLife C25K Cheap_Meals
    Christianity CrazyIdeas Diablo DnD EatCheapAndHealthy Enhancement Entrepreneur FanTheories Fitness Frisson Frugal
    Glitch_in_the_Matrix Guildwars2 Guitar HailCorporate HistoricalWhatIf IWantOut IWantToLearn Jokes LifeProTips
    LucidDreaming Meditation NeutralPolitics OneY PHP Paranormal Planetside Poetry PoliticalDiscussion PostCollapse
    SocialEngineering Survival TalesFromRetail TheoryOfReddit TrueAtheism TrueFilm UniversityofReddit YouShouldKnow
    androidapps askscience asoiaf bodyweightfitness booksuggestions britishproblems budgetfood buildapc changemyview
    edmproduction explainlikeimfive fantasyfootball femalefashionadvice finance fitmeals frugalmalefashion gainit
    gamedev getdisciplined guitarlessons ifyoulikeblank introvert investing jobs keto languagelearning leagueoflegends
    learnprogramming loseit musictheory netflix outside pathofexile patientgamers personalfinance pettyrevenge
    philosophy running slowcooking socialskills startups summonerschool sysadmin talesfromtechsupport techsupport tifu
    tipofmytongue tldr truegaming weightroom writing xxfitness yoga"""


class RedditTopics(ClassifiedTexts):
    """19,997 posts that differ, 100 subreddits; of each 20 for test, 20 for validation and up to 160 for training.

    Title and body, split at white space; the label is the subreddit. Some are close: EatCheapAndHealthy, budgetfood,
    Cheap_Meals. Who wrote a post is not known, so that the set is of no use for an audit of users.
    """

    name = "reddit-topics"
    summary = "Posts of 100 subreddits, 200 each, with the subreddit as their topic (top posts of August 2013)."
    source = (
        "GitHub umbrae/reddit-top-2.5-million, commit d0efcade504b8ed735a48ddc2b15552fa924c9d9: self posts of the 100 "
        "largest subreddits with 300 of them, less those about sex, crises, health, drugs and personal ads; 200 at "
        "random of each, title and body, cut at 1,500 characters; addresses, numbers and names masked by pattern."
    )
    licence = "Public Domain Dedication and License 1.0, as stated upstream."
    files = (
        DataFile(path=POSTS, size=6605454, sha256="6880e7b3851476f65aeaf197f36f5ee45676b41bd296ff86bfb3342f84b6b3c6"),
    )
    known_labels = tuple(SUBREDDITS.split())

    class Options(ClassSizes):
        """Which subreddits and how many posts of each."""

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the posts, train first, class by class within a split."""
        path = self.require_files(root) / POSTS
        problems = Problems()
        posts = list(_posts(path, problems))
        problems.finish()
        return Corpus(self.sized(posts), self.name)


def _posts(path: Path, problems: Problems) -> Iterator[Text]:
    known = set(RedditTopics.known_labels)
    for number, line in read_lines(path, problems):
        try:
            row = json.loads(line)
            text, label = row["text"], row["label"]
        except (ValueError, KeyError, TypeError):
            text = label = None
        if not (isinstance(text, str) and isinstance(label, str)):
            problems.add(path, number, 'is not a JSON object with a text "text" and a text "label"')
        elif label not in known:
            problems.add(path, number, "has a label that is none of the set's")
        else:
            yield Text(tuple(text.split()), label=label)
