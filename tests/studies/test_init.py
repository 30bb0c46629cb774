"""The registry of studies."""

import pytest
from tests.studies.sample import study

from divulge.errors import InputError
from divulge.spec import Study
from divulge.studies import STUDIES, study_named

SAMPLE = study()


def test_a_registered_study_is_found_by_name() -> None:
    """The constant behind a registered name is a study."""
    name = next(iter(STUDIES))
    assert isinstance(study_named(name), Study)
    assert study_named(name).name == name


def test_a_study_of_the_users_own_is_found_by_module_and_constant() -> None:
    """Nobody needs a fork to add a study."""
    assert study_named("tests.studies.test_init:SAMPLE") == SAMPLE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("worlds/lader", "Did you mean 'worlds/ladder'?"),
        ("no_such_module_at_all:X", "cannot be loaded"),
        ("divulge.spec:Nothing", "has no 'Nothing'"),
        ("divulge.spec:Study", "must be a divulge.spec.Study"),
        (":X", "cannot be loaded"),
    ],
)
def test_an_unknown_study_is_refused_with_advice(name: str, said: str) -> None:
    """The message says what is near, or what is wrong with the path."""
    with pytest.raises(InputError, match=r".") as error:
        study_named(name)
    assert said in str(error.value)
