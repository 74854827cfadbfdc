"""Draw the pictures of the gallery by running its examples: `python docs/draw_gallery.py`.

Each file in `docs/gallery` is one example. It runs after `BEFORE`, on the demo web; its
picture is the current figure of matplotlib, or `svg` if it sets that. The same versions
draw the same bytes.
"""

import re
import sys
import tempfile
from contextlib import chdir
from io import StringIO
from pathlib import Path
from typing import Any

import weft
from weft.demo import DemoWeb, write_warc

DOCS = Path(__file__).parent
PICTURES = DOCS / "images" / "gallery"
BEFORE = """import matplotlib.pyplot as plt
import weft

c = weft.open("weft-demo/demo.weft")
"""
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "weft",
    "figure.figsize": (6.4, 3.8),
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
INTRODUCTION = f"""# Gallery

Pictures of webs, each with the code that draws it. `docs/draw_gallery.py` ran all of them on the
demo web (`weft demo`).
Every example begins with these lines; for your own collection change the last one:

```python
{BEFORE}```
"""


def examples() -> list[Path]:
    """The examples in their order."""
    return sorted((DOCS / "gallery").glob("*.py"))


def title_and_code(path: Path) -> tuple[str, str]:
    """The docstring of an example, without the full stop, and what follows it."""
    _, title, code = path.read_text("utf-8").split('"""', 2)
    return title.removesuffix("."), code.strip("\n") + "\n"


def gallery() -> str:
    """The page: each picture with its code."""
    parts = [INTRODUCTION]
    for path in examples():
        title, code = title_and_code(path)
        parts.append(
            f"## {title}\n\n![{title}](images/gallery/{path.stem}.svg)\n\n```python\n{code}```\n"
        )
    return "\n".join(parts)


def draw(path: Path, collection: Any) -> str:
    """Run an example; its picture as SVG."""
    import matplotlib as mpl  # noqa: PLC0415
    import matplotlib.pyplot as plt  # noqa: PLC0415

    mpl.use("svg")
    plt.close("all")
    names: dict[str, Any] = {"plt": plt, "weft": weft, "c": collection}
    with mpl.rc_context(STYLE):
        plt.figure()
        exec(compile(title_and_code(path)[1], str(path), "exec"), names)
        if "svg" in names:
            return str(names["svg"]) + "\n"
        picture = StringIO()
        plt.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+$", "", picture.getvalue(), flags=re.MULTILINE)


def main() -> None:
    """Draw all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        write_warc(DemoWeb(), Path("demo.warc.gz"))
        collection = weft.open("demo.weft")
        collection.add("demo.warc.gz")
        for path in examples():
            picture = PICTURES / f"{path.stem}.svg"
            picture.write_text(draw(path, collection), "utf-8")
            sys.stdout.write(f"{picture.relative_to(DOCS)}: {picture.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
