"""The studies, by name: tables and figures as values. Adding one is a file, a line here and a test file."""

from __future__ import annotations

import importlib

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.spec import Study

__all__ = ["STUDIES", "study_named"]

STUDIES: dict[str, str] = {
    "elmahdy2022/access": "divulge.studies.elmahdy2022.beyond:ACCESS",
    "elmahdy2022/defences": "divulge.studies.elmahdy2022.beyond:DEFENCES_TRIED",
    "elmahdy2022/deletion": "divulge.studies.elmahdy2022.beyond:DELETION",
    "elmahdy2022/places": "divulge.studies.elmahdy2022.beyond:PLACES",
    "elmahdy2022/table2": "divulge.studies.elmahdy2022.table2:TABLE2",
    "elmahdy2022/table3": "divulge.studies.elmahdy2022.table3:TABLE3",
    "elmahdy2022/table4": "divulge.studies.elmahdy2022.table4:TABLE4",
    "elmahdy2022/unseen": "divulge.studies.elmahdy2022.beyond:UNSEEN",
    "gu2023/asking": "divulge.studies.gu2023.asking:ASKING",
    "gu2023/figure3": "divulge.studies.gu2023.keyword_figures:FIGURE3",
    "gu2023/figure4": "divulge.studies.gu2023.figure4:FIGURE4",
    "gu2023/figure5": "divulge.studies.gu2023.figure5:FIGURE5",
    "gu2023/figure6": "divulge.studies.gu2023.keyword_figures:FIGURE6",
    "gu2023/figure7": "divulge.studies.gu2023.figure7:FIGURE7",
    "gu2023/full": "divulge.studies.gu2023.protocols:FULL",
    "gu2023/pooled": "divulge.studies.gu2023.pooled:POOLED",
    "gu2023/protocol": "divulge.studies.gu2023.protocols:PROTOCOL",
    "gu2023/table1": "divulge.studies.gu2023.table1:TABLE1",
    "gu2023/table2": "divulge.studies.gu2023.table2:TABLE2",
    "gu2023/table3": "divulge.studies.gu2023.tables_of_examples:TABLE3",
    "gu2023/table4": "divulge.studies.gu2023.tables_of_examples:TABLE4",
    "parikh2022/alone": "divulge.studies.parikh2022.choices:ALONE",
    "parikh2022/figure2": "divulge.studies.parikh2022.figure2:FIGURE2",
    "parikh2022/figure3": "divulge.studies.parikh2022.figures_by_data:FIGURE3",
    "parikh2022/figure4": "divulge.studies.parikh2022.figures_by_data:FIGURE4",
    "parikh2022/figure5": "divulge.studies.parikh2022.figures_by_data:FIGURE5",
    "parikh2022/masks": "divulge.studies.parikh2022.choices:MASKS",
    "parikh2022/recipe": "divulge.studies.parikh2022.choices:RECIPE",
    "parikh2022/table2": "divulge.studies.parikh2022.table2:TABLE2",
    "parikh2022/table3": "divulge.studies.parikh2022.table3:TABLE3",
    "parikh2022/table4": "divulge.studies.parikh2022.table4:TABLE4",
    "parikh2022/table5": "divulge.studies.parikh2022.table5:TABLE5",
    "parikh2022/score": "divulge.studies.parikh2022.choices:SCORE",
    "parikh2022/utility": "divulge.studies.parikh2022.utility:UTILITY",
    "parikh2022/vectors": "divulge.studies.parikh2022.choices:VECTORS",
    "parikh2022/vocabulary": "divulge.studies.parikh2022.choices:VOCABULARY",
    "song2019/alarms": "divulge.studies.song2019.beyond:ALARMS",
    "song2019/evidence": "divulge.studies.song2019.beyond:EVIDENCE",
    "song2019/figure2": "divulge.studies.song2019.figure2:FIGURE2",
    "song2019/figure3": "divulge.studies.song2019.figure3:FIGURE3",
    "song2019/figure4": "divulge.studies.song2019.figure4:FIGURE4",
    "song2019/figure5": "divulge.studies.song2019.memorisation:FIGURE5",
    "song2019/figure6": "divulge.studies.song2019.memorisation:FIGURE6",
    "song2019/figure7": "divulge.studies.song2019.memorisation:FIGURE7",
    "song2019/figure8": "divulge.studies.song2019.figure8:FIGURE8",
    "song2019/offsets": "divulge.studies.song2019.beyond:OFFSETS",
    "song2019/references": "divulge.studies.song2019.beyond:REFERENCES",
    "song2019/table1": "divulge.studies.song2019.table1:TABLE1",
    "song2019/table2": "divulge.studies.song2019.table2:TABLE2",
    "song2019/table3": "divulge.studies.song2019.table3:TABLE3",
    "song2019/table4": "divulge.studies.song2019.obfuscation:TABLE4",
    "song2019/table5": "divulge.studies.song2019.obfuscation:TABLE5",
    "song2019/transformer": "divulge.studies.song2019.beyond:TRANSFORMER",
    "song2019/vocabulary": "divulge.studies.song2019.beyond:VOCABULARY",
    "song2019/weights": "divulge.studies.song2019.beyond:WEIGHTS",
    "worlds/ladder": "divulge.studies.worlds:LADDER",
}


def study_named(name: str) -> Study:
    """Finds a study: in the registry, or, as "module:CONSTANT", in the user's own code."""
    path = STUDIES.get(name, name)
    module_name, colon, constant = path.partition(":")
    if not colon:
        raise InputError(f"unknown study {name!r}.{did_you_mean(name, STUDIES)}")
    try:
        found = getattr(importlib.import_module(module_name), constant)
    except (ImportError, ValueError) as error:
        raise InputError(f"study {name!r} cannot be loaded: {error}. It must be importable (PYTHONPATH)") from error
    except AttributeError as error:
        raise InputError(f"study {name!r}: module {module_name!r} has no {constant!r}") from error
    if not isinstance(found, Study):
        raise InputError(f"study {name!r} must be a divulge.spec.Study. Got {type(found).__name__}")
    return found
