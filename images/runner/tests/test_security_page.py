"""The page on security and the probes agree."""

from __future__ import annotations

import re
from pathlib import Path

from messages import SCHEMAS

PAGE = (SCHEMAS.parents[2] / "docs" / "security.md").read_text()


def test_the_page_lists_the_probes_of_artifacts_and_inputs() -> None:
    start = PAGE.index("### Artifacts and inputs\n")
    section = PAGE[start : PAGE.index("\n#", start)]
    listed = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    marked = [
        name
        for path in Path(__file__).parent.glob("test_*.py")
        for name in re.findall(r'^@pytest\.mark\.probe\("([a-z-]+)"\)$', path.read_text(), re.M)
    ]
    assert sorted(listed) == sorted(marked)
    assert len(set(marked)) == len(marked) > 0
