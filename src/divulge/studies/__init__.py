"""The studies, by name: tables and figures as values. Adding one is a file, a line here and a test file."""

from __future__ import annotations

import importlib

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.spec import Study

__all__ = ["STUDIES", "study_named"]

STUDIES: dict[str, str] = {
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
