"""Episodes last: words and pictures, within bounds, found again after a restart."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
import sqlite3
from typing import Any

from known import known
import pytest

from rover_common.config.settings import EpisodeSettings
from rover_common.errors import EpisodesError
from rover_vision.episodes import episode_store
from rover_vision.episodes.episode_store import EpisodeReader, EpisodeStore, NewEpisode, Origin
from rover_vision.look_request_and_result import Picture, PictureSet
from rover_vision.place_of_look import Place, Remembered

ROOMY = EpisodeSettings(max_pictures=100, max_mb=10.0, max_episodes=100)


def seen(
    answer: str = 'Two rocks.',
    size: int = 10,
    context: Mapping[str, str] | None = None,
    place: Place | None = None,
    **rest: Any,
) -> NewEpisode:
    picture = Picture(b'x' * size, 'png', 4, 3)
    found = PictureSet('rover', (picture,), context or {}, place=place)
    return NewEpisode(found, Origin.CHAT, 'camera', answer=answer, system_s=1_000.0, **rest)


def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    number = store.add(
        seen(question='What is there?', measured={'rocks': 2}, context={'window_title': 'plot'})
    )
    store.close()
    again = EpisodeStore(tmp_path, ROOMY)
    (episode,) = again.search('', 5)
    assert (episode.number, episode.question, episode.answer) == (
        number,
        'What is there?',
        'Two rocks.',
    )
    assert (episode.measured, episode.context) == ({'rocks': 2}, {'window_title': 'plot'})
    assert again.picture(number) == Picture(b'x' * 10, 'png', 4, 3)
    assert EpisodeReader(tmp_path).search('', 5) == [episode]


def test_only_this_user_reads_what_is_kept_from_the_first_moment(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    store.add(seen(question='What is there?'))
    kept = [each for each in tmp_path.rglob('*') if each.is_file()]
    assert {'episodes.sqlite', 'episodes.sqlite-wal'} < {each.name for each in kept}
    assert [each.name for each in kept if each.stat().st_mode & 0o077] == []
    store.close()


def test_two_processes_keep_their_pictures_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('rover_vision.vision_folder.BUSY_S', 0.0)
    one, other = EpisodeStore(tmp_path, ROOMY), EpisodeStore(tmp_path, ROOMY)
    write, refused = episode_store._write_whole, []

    def write_beside_another(path: Path, data: bytes) -> None:
        monkeypatch.setattr(episode_store, '_write_whole', write)
        try:
            other.add(seen(size=20))
        except EpisodesError as error:  # it waits for its turn, if it may
            refused.append(error)
        write(path, data)

    monkeypatch.setattr(episode_store, '_write_whole', write_beside_another)
    one.add(seen(size=10))
    for _ in refused:
        other.add(seen(size=20))
    found = sorted(one.search('', 5), key=lambda episode: episode.number)
    pictures = [one.picture(each.number) for each in found]
    assert sorted(len(known(each).data) for each in pictures) == [10, 20]
    one.close()
    other.close()


def test_words_are_found_in_every_language(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    store.add(seen('Two rocks ahead.'))
    store.add(seen('前方に大きな岩があります。'))
    store.add(
        seen('Nothing.', question='Is the "plot" done?', context={'window_title': 'Gnuplot'})
    )

    def found(words: str) -> list[int]:
        return [each.number for each in store.search(words, 9)]

    assert found('ROCK ahead') == [1]
    assert found('大きな') == [2]
    assert found('岩') == [2]
    assert found('gnuplot') == [3]
    assert found('"plot') == [3]
    assert found('rocks nothing') == []
    assert found('') == [3, 2, 1]
    assert found("' OR 1=1 --") == []


@pytest.mark.parametrize(
    'bounds',
    [
        EpisodeSettings(max_pictures=2, max_mb=10.0, max_episodes=100),
        EpisodeSettings(max_pictures=100, max_mb=0.0021, max_episodes=100),
    ],
)
def test_the_oldest_pictures_go_and_what_was_said_stays(
    tmp_path: Path, bounds: EpisodeSettings
) -> None:
    store = EpisodeStore(tmp_path, bounds)
    for _ in range(5):
        store.add(seen(size=1000))
    assert [bool(each.picture) for each in store.search('', 9)] == [True] * 2 + [False] * 3
    assert len(list((tmp_path / 'pictures').iterdir())) == 2
    assert store.picture(1) is None


def test_the_oldest_episodes_are_forgotten_and_not_found_any_more(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, EpisodeSettings(max_pictures=9, max_mb=1.0, max_episodes=2))
    for word in ('first', 'second', 'third'):
        store.add(seen(word))
    assert [each.answer for each in store.search('', 9)] == ['third', 'second']
    assert store.search('first', 9) == []
    assert len(list((tmp_path / 'pictures').iterdir())) == 2


def test_no_picture_is_kept_where_none_is_wanted(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, EpisodeSettings(max_pictures=0, max_mb=1.0, max_episodes=2))
    assert store.picture(store.add(seen())) is None
    assert list((tmp_path / 'pictures').iterdir()) == []


def test_a_picture_without_its_episode_is_removed_at_the_next_start(tmp_path: Path) -> None:
    EpisodeStore(tmp_path, ROOMY).close()
    (tmp_path / 'pictures' / '00000009.png').write_bytes(b'x')
    EpisodeStore(tmp_path, ROOMY)
    assert list((tmp_path / 'pictures').iterdir()) == []


def test_only_what_a_crash_can_leave_is_removed(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    store.add(seen())
    store.close()
    foreign = {
        'wedding.jpg',
        'notes.txt',
        '2.png',
        '00000002.jpg',
        '٠٠٠٠٠٠٠٢.png',
        '00000001.webp',
    }
    left_by_a_crash = {'00000002.png', '00000001.png.new', '123456789.jpeg'}
    for name in foreign | left_by_a_crash:
        (tmp_path / 'pictures' / name).write_bytes(b'x')
    EpisodeStore(tmp_path, ROOMY)
    assert {each.name for each in (tmp_path / 'pictures').iterdir()} == foreign | {'00000001.png'}


def test_pictures_stay_when_their_file_is_moved_away_and_are_not_overwritten(
    tmp_path: Path,
) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    for _ in range(2):
        store.add(seen(size=10))
    store.close()
    (tmp_path / 'episodes.sqlite').rename(tmp_path / 'moved')
    EpisodeStore(tmp_path, ROOMY).close()
    store = EpisodeStore(tmp_path, ROOMY)
    assert store.add(seen(size=20)) == 3
    sizes = {each.name: each.stat().st_size for each in (tmp_path / 'pictures').iterdir()}
    assert sizes == {'00000001.png': 10, '00000002.png': 10, '00000003.png': 20}


def test_the_file_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / 'episodes.sqlite'
    with sqlite3.connect(path) as other:
        other.execute('CREATE TABLE theirs (x)')
    before = path.read_bytes()
    for use in (lambda: EpisodeStore(tmp_path, ROOMY), lambda: EpisodeReader(tmp_path)):
        with pytest.raises(EpisodesError, match='another program'):
            use()
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_and_none_at_all_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EpisodesError, match='no episodes'):
        EpisodeReader(tmp_path)
    (tmp_path / 'episodes.sqlite').write_bytes(b'not a database' * 100)
    for use in (lambda: EpisodeStore(tmp_path, ROOMY), lambda: EpisodeReader(tmp_path)):
        with pytest.raises(EpisodesError, match='cannot be used'):
            use()


def test_a_look_is_found_by_what_the_memory_has_there(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    there = Place(1.0, 2.0, 0.5, (Remembered('n17', 'Bishop', 4.2),))
    store.add(seen(place=there))
    store.add(seen())
    found, nowhere = store.search('bishop', 9), store.search('', 1)
    assert [dict(each.place) for each in found] == [
        {
            'x': 1.0,
            'y': 2.0,
            'yaw': 0.5,
            'remembered': [{'place_id': 'n17', 'name': 'Bishop', 'away_m': 4.2}],
        }
    ]
    assert nowhere[0].place == {}


def test_the_file_of_another_version_is_left_alone(tmp_path: Path) -> None:
    EpisodeStore(tmp_path, ROOMY).close()
    with closing(sqlite3.connect(tmp_path / 'episodes.sqlite')) as connection:
        connection.execute('PRAGMA user_version = 0')
    for opens in (lambda: EpisodeStore(tmp_path, ROOMY), lambda: EpisodeReader(tmp_path)):
        with pytest.raises(EpisodesError, match='another version of this one'):
            opens()


@pytest.mark.parametrize(
    ('column', 'value', 'why'),
    [
        ('system_s', 1e20, 'its time 1e+20 is none'),
        ('measured', '{broken', 'Invalid JSON'),
        ('context', '{"window_title": 3}', 'context.window_title'),
        ('context', '[1]', 'object'),
        ('place', '{"x": "far", "y": 1.0, "yaw": 0.0}', 'x: '),
        ('answer', b'\xff', 'answer'),
    ],
)
def test_a_damaged_episode_is_named(tmp_path: Path, column: str, value: object, why: str) -> None:
    store = EpisodeStore(tmp_path, ROOMY)
    store.add(seen(place=Place(1.0, 2.0, 0.5, (Remembered('p1', 'Bishop', 3.0),))))
    store.close()
    with closing(sqlite3.connect(tmp_path / 'episodes.sqlite')) as damaged:
        damaged.execute(f'UPDATE episodes SET {column} = ?', (value,))
        damaged.commit()
    damaged_one = pytest.raises(EpisodesError, match=r'Episode 1 in .* is damaged')
    with closing(EpisodeReader(tmp_path)) as reader, damaged_one as caught:
        reader.search('', 5)
    assert why in str(caught.value)
