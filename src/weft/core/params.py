"""The shared vocabulary of parameters: each name, range and meaning, once."""

from typing import Annotated

from pydantic import Field

Weighted = Annotated[bool, Field(description="count links by their weight")]
