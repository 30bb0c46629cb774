from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from divulge.errors import InputError
from divulge.targets.sentence_modules import SentenceModules, encoder_folder, state_width

STATES = np.array([[1, 2], [3, -4], [5, 8]], dtype=np.float32)


def saved(folder: Path, *modules: tuple[str, dict[str, Any]], **settings: Any) -> Path:
    """A sentence-transformers folder of these modules behind a network, by class and configuration."""
    listed = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    for number, (kind, config) in enumerate(modules, start=1):
        place = folder / f"{number}_{kind}"
        place.mkdir(parents=True)
        (place / "config.json").write_text(json.dumps(config))
        listed.append({"idx": number, "path": place.name, "type": f"sentence_transformers.models.{kind}"})
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "sentence_bert_config.json").write_text(json.dumps(settings))
    return folder


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        (["pooling_mode_cls_token"], [1, 2]),
        (["pooling_mode_lasttoken"], [5, 8]),
        (["pooling_mode_max_tokens"], [5, 8]),
        (["pooling_mode_mean_tokens"], [3, 2]),  # 9 / 3 and 6 / 3
        (["pooling_mode_mean_sqrt_len_tokens"], [9 / 3**0.5, 6 / 3**0.5]),
        (["pooling_mode_weightedmean_tokens"], [22 / 6, 18 / 6]),  # 1 + 2 * 3 + 3 * 5; 2 - 2 * 4 + 3 * 8
        (["pooling_mode_mean_tokens", "pooling_mode_cls_token"], [1, 2, 3, 2]),  # the library's order, not the file's
    ],
)
def test_pooling(tmp_path: Path, modes: list[str], expected: list[float]) -> None:
    """Over all states, by each mode that is on."""
    modules = SentenceModules(saved(tmp_path, ("Pooling", dict.fromkeys(modes, True))))
    assert modules.vector(STATES).tolist() == pytest.approx(expected)


def test_pooling_by_name(tmp_path: Path) -> None:
    """As newer files have it."""
    modules = SentenceModules(saved(tmp_path, ("Pooling", {"pooling_mode": "max"})))
    assert modules.vector(STATES).tolist() == [5, 8]


def test_dense_layers_and_unit_length(tmp_path: Path) -> None:
    """In the order of the file: the mean (3, 2) becomes relu(3 - 2, -3) + bias, then unit length."""
    dense = {"in_features": 2, "out_features": 2, "activation_function": "torch.nn.modules.activation.ReLU"}
    folder = saved(tmp_path, ("Pooling", {"pooling_mode_mean_tokens": True}), ("Dense", dense), ("Normalize", {}))
    weights = {"linear.weight": [[1, -1], [-1, 0]], "linear.bias": [2, 7]}
    arrays = {name: np.array(value, dtype=np.float32) for name, value in weights.items()}
    save_file(arrays, folder / "2_Dense" / "model.safetensors")
    # (3 - 2 + 2, -3 + 7) = (3, 4), of length 5
    assert SentenceModules(folder).vector(STATES).tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"weight": [[1, 1]]}, "holds weight. A dense layer needs linear.weight"),
        ({"linear.weight": [[1, 1, 1]]}, r"linear.weight is \(1, 3\) .* has 2 numbers, so that \(n, 2\)"),
        ({"linear.weight": [1, 1]}, r"linear.weight is \(2,\)"),
        ({"linear.weight": [[1, 1]], "linear.bias": [1, 1]}, r"linear.bias \(2,\)"),
        ({"linear.weight": [[1, np.nan]]}, "holds NaN or infinity"),
        (None, r"cannot be read as safetensors \(SafetensorError\)"),
    ],
)
def test_damaged_dense_layers_are_named(tmp_path: Path, weights: dict[str, Any] | None, said: str) -> None:
    """With their file, before anything runs: the network's states have 2 numbers."""
    folder = saved(tmp_path, ("Pooling", {"pooling_mode": "cls"}), ("Dense", {}))
    (folder / "config.json").write_text(json.dumps({"hidden_size": 2}))
    file = folder / "2_Dense" / "model.safetensors"
    if weights is None:
        file.write_bytes(b"no weights")
    else:
        save_file({name: np.array(value, dtype=np.float32) for name, value in weights.items()}, file)
    with pytest.raises(InputError, match=f"2_Dense.model.safetensors: .*{said}"):
        SentenceModules(folder)


def test_widths_are_followed_through_the_modules(tmp_path: Path) -> None:
    """Two ways to pool states of 2 numbers make 4; a layer makes 1 of them, of which the next makes 3."""
    folder = saved(tmp_path, ("Pooling", {"pooling_mode": ["cls", "max"]}), ("Dense", {}), ("Dense", {}))
    (folder / "config.json").write_text(json.dumps({"n_embd": 2}))
    for number, shape in ((2, (1, 4)), (3, (3, 1))):
        save_file({"linear.weight": np.ones(shape, np.float32)}, folder / f"{number}_Dense" / "model.safetensors")
    assert SentenceModules(folder).vector(STATES).shape == (3,)
    assert state_width(folder) == 2
    save_file({"linear.weight": np.ones((3, 4), np.float32)}, folder / "3_Dense" / "model.safetensors")
    with pytest.raises(InputError, match="has 1 numbers"):
        SentenceModules(folder)


def test_texts_are_written_as_the_folder_reads_them(tmp_path: Path) -> None:
    """With one space between words, lowered if it says so."""
    folder = saved(tmp_path, ("Pooling", {"pooling_mode": "cls"}), do_lower_case=True)
    assert SentenceModules(folder).written([("The", "Cat")]) == ["the cat"]
    (folder / "sentence_bert_config.json").unlink()
    assert SentenceModules(folder).written([("The", "Cat")]) == ["The Cat"]


def test_settings_of_the_network(tmp_path: Path) -> None:
    """How long a text may be, and whether it is lowered."""
    modules = SentenceModules(
        saved(tmp_path, ("Pooling", {"pooling_mode": "cls"}), max_seq_length=7, do_lower_case=True)
    )
    assert (modules.longest, modules.lowers) == (7, True)


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ([("Pooling", {"pooling_mode": "cls"}), ("Router", {})], "its modules are Transformer, Pooling, Router"),
        ([("Normalize", {})], "its modules are Transformer, Normalize"),
        ([("Pooling", {})], "pools by nothing"),
        ([("Pooling", {"pooling_mode": "sum"})], "pools by sum"),
        (
            [("Pooling", {"pooling_mode": "cls"}), ("Dense", {"activation_function": "x.Mish"})],
            "its activation is Mish",
        ),
        ([("Pooling", {"pooling_mode": "cls"}), ("Dense", {})], "one file of weights in safetensors. Found 0"),
    ],
)
def test_what_is_not_read_is_refused(tmp_path: Path, modules: list[tuple[str, dict[str, Any]]], said: str) -> None:
    """A module left out in silence would make other vectors than the owner's."""
    with pytest.raises(InputError, match=said):
        SentenceModules(saved(tmp_path, *modules))


def test_prompts_are_refused(tmp_path: Path) -> None:
    """They would stand before every text."""
    folder = saved(tmp_path, ("Pooling", {"pooling_mode": "cls"}))
    settings = {"prompts": {"query": "query: "}, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    SentenceModules(folder)
    (folder / "config_sentence_transformers.json").write_text(json.dumps({**settings, "default_prompt_name": "query"}))
    with pytest.raises(InputError, match="puts a prompt before every text"):
        SentenceModules(folder)


def test_where_the_network_lies(tmp_path: Path) -> None:
    """In the folder itself, or in its first module's; a folder without modules says no pooling."""
    assert encoder_folder(tmp_path) == tmp_path
    with pytest.raises(InputError, match="has no modules.json"):
        SentenceModules(tmp_path)
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "a.Transformer", "path": "0_Transformer"}]))
    assert encoder_folder(tmp_path) == tmp_path / "0_Transformer"
    (tmp_path / "modules.json").write_text("[1]")
    with pytest.raises(InputError, match="does not list modules"):
        encoder_folder(tmp_path)
