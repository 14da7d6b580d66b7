"""Makes the Japanese font of the pages: the characters of their own words, and kana.

    python .ci/page_font.py NotoSansCJKtc-Regular.otf      # needs fonttools and brotli

The font is that of the package cvttf-notosanscjk-regular of PyPI (SIL Open Font License 1.1).
"""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Any

from fontTools import subset

ROOT = Path(__file__).parents[1]
VENDOR = ROOT / 'bt_executive' / 'view' / 'static' / 'vendor'
OF_WORDS = ('bt_executive/view/static/words.js', 'config/prompts.yaml', 'config/robot.yaml')
KANA = ''.join(map(chr, (*range(0x3000, 0x3100), *range(0xFF01, 0xFF9F))))
FIRST = '\u2e80'  # of the characters that only such a font has


def characters() -> str:
    """Return the characters that the font shall have."""
    texts = ''.join((ROOT / each).read_text('utf-8') for each in OF_WORDS)
    return ''.join(sorted({each for each in texts if each >= FIRST} | set(KANA)))


def as_in_japan(font: Any) -> None:
    """Gives each character the form that it has in Japanese texts, where there are several."""
    table = font['GSUB'].table
    forms: dict[str, str] = {}
    for script in table.ScriptList.ScriptRecord:
        for language in script.Script.LangSysRecord:
            for index in language.LangSys.FeatureIndex if language.LangSysTag == 'JAN ' else ():
                feature = table.FeatureList.FeatureRecord[index]
                if feature.FeatureTag == 'locl':
                    for lookup in feature.Feature.LookupListIndex:
                        for each in table.LookupList.Lookup[lookup].SubTable:
                            forms |= getattr(getattr(each, 'ExtSubTable', each), 'mapping', {})
    for part in font['cmap'].tables:
        if part.isUnicode() and part.format != 14:
            part.cmap = {code: forms.get(glyph, glyph) for code, glyph in part.cmap.items()}


def main(source: str) -> None:
    """Writes font and list of characters."""
    options = subset.Options()
    options.flavor = 'woff2'
    options.layout_features = []
    options.hinting = False
    options.name_IDs = [0, 13, 14]
    options.drop_tables += ['VORG', 'vhea', 'vmtx', 'GPOS', 'BASE']
    font = subset.load_font(source, options)
    as_in_japan(font)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters())
    subsetter.subset(font)
    subset.save_font(font, str(VENDOR / 'japanese.woff2'), options)
    has = font.getBestCmap()
    text = ''.join(each for each in characters() if ord(each) in has)
    (VENDOR / 'japanese.txt').write_text(text + '\n', 'utf-8')


if __name__ == '__main__':
    main(sys.argv[1])
