"""Where real webs lie, beside the checkout, and the mark of tests that read them."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real data are not at {DATA}")
