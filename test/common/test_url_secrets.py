"""Addresses lose user, password and query; what is no address stays as it is."""

from __future__ import annotations

import pytest

from rover_common.url_secrets import without_secrets


@pytest.mark.parametrize(
    ('text', 'safe'),
    [
        ('http://localhost:8000/v1', 'http://localhost:8000/v1'),
        ('https://user:pass@host/v1', 'https://***@host/v1'),
        ('https://host/v1?api_key=abc', 'https://host/v1?***'),
        ('https://host/v1?mail=a@b', 'https://host/v1?***'),
        ('postgresql://joe:p@ss@host/map', 'postgresql://***@host/map'),
        ('postgresql://joe:p/ss@host/map', 'postgresql://***@host/map'),
        ('postgresql://joe:p?ss@host/map', 'postgresql://***@host/map'),
        ('light_model.x_good=8', 'light_model.x_good=8'),
    ],
)
def test_urls_lose_what_they_could_keep_secret(text: str, safe: str) -> None:
    assert without_secrets(text) == safe
