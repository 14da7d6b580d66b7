"""Which model sees: the planner's, another one, or none."""

from __future__ import annotations

from known import known

from rover_common.config.load import load_config
from rover_vision.seeing.vision_model_from_config import make_model, model_settings

PLANNER = ('planner.provider=openai', 'planner.model=blind', 'planner.base_url=http://127.0.0.1:9')


def test_without_a_model_pictures_are_measured() -> None:
    assert make_model(load_config(), {}) == (None, '')
    offline = load_config(overrides=[*PLANNER, 'vision.model.provider=offline'])
    assert make_model(offline, {}) == (None, '')


def test_it_is_the_planners_unless_another_is_named() -> None:
    settings = known(model_settings(load_config(overrides=PLANNER)))
    assert (settings.model, settings.base_url) == ('blind', 'http://127.0.0.1:9')
    other = load_config(overrides=[*PLANNER, 'vision.model.model=seeing'])
    settings = known(model_settings(other))
    assert (settings.model, settings.base_url) == ('seeing', 'http://127.0.0.1:9')


def test_of_another_provider_nothing_of_the_planners_counts() -> None:
    other = ('vision.model.provider=ollama', 'vision.model.model=llava')
    settings = known(model_settings(load_config(overrides=[*PLANNER, *other])))
    assert (settings.provider, settings.model, settings.base_url) == ('ollama', 'llava', '')


def test_what_is_missing_is_told_with_its_section() -> None:
    model, why = make_model(load_config(overrides=['vision.model.provider=anthropic']), {})
    assert model is None
    assert why.startswith('Pictures are measured only: vision.yaml: provider anthropic needs')
    assert 'vision.model.model' in why


def test_the_process_that_serves_a_file_is_given_no_pictures() -> None:
    local = ('planner.provider=llamacpp', 'planner.model=weights.gguf')
    model, why = make_model(load_config(overrides=local), {})
    assert model is None
    assert 'vision.model.provider' in why
    other = ('vision.model.provider=ollama', 'vision.model.model=llava')
    seeing = load_config(overrides=[*local, *other])
    assert model_settings(seeing) is not None
    model, why = make_model(seeing, {})
    assert model is not None
    assert why == ''
