"""The fonts of pictures.

`python3 -I -m assay_runner.fonts DIRECTORY` prepares a configuration directory of matplotlib: with
its list of fonts, which it would otherwise look for at the first plot, and with a `matplotlibrc`
that names the fonts for letters that its usual one lacks.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_USUAL = "DejaVu Sans"

# For Chinese, Japanese and Korean: that of the image, then others that a machine may have.
FALLBACKS = (
    "WenQuanYi Micro Hei",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Droid Sans Fallback",
    "WenQuanYi Zen Hei",
)


def families() -> list[str]:
    """Return the families that are installed, in the order in which a letter is looked for."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return [_USUAL, *(name for name in FALLBACKS if name in installed)]


def lacks(text: str) -> bool:
    """Return whether none of the families has a letter of a text."""
    from matplotlib.font_manager import findfont, get_font

    fonts = [get_font(findfont(name)) for name in families()]
    return any(
        letter.isprintable() and not any(font.get_char_index(ord(letter)) for font in fonts)
        for letter in text
    )


def prepare(directory: str) -> None:
    """Write the list of fonts and `matplotlibrc` into a directory, which is created."""
    # Matplotlib looks for it when it is imported.
    os.environ["MPLCONFIGDIR"] = directory
    Path(directory).mkdir(parents=True, exist_ok=True)
    _sort_list()
    names = ["sans-serif", *families()[1:]]
    Path(directory, "matplotlibrc").write_text(f"font.family: {', '.join(names)}\n")


def _sort_list() -> None:
    """Give the list the same order each time, with the fonts of matplotlib first.

    Of two equally good fonts, the first is used.
    """
    import matplotlib
    from matplotlib.font_manager import FontManager, fontManager, json_dump

    own = matplotlib.get_data_path()
    for fonts in (fontManager.ttflist, fontManager.afmlist):
        fonts.sort(key=lambda font: (not font.fname.startswith(own), font.fname, font.name))
    json_dump(
        fontManager, Path(matplotlib.get_cachedir(), f"fontlist-v{FontManager.__version__}.json")
    )


if __name__ == "__main__":
    prepare(sys.argv[1])
