"""What a collection is like as a whole, and what a page is like among the others."""

from abc import ABC, abstractmethod

from weft.store.collection import Collection


class Survey(ABC):
    """The questions about groups of pages and the whole graph, which `Workspace` answers too."""

    __slots__ = ()

    @property
    @abstractmethod
    def collection(self) -> Collection:
        """The snapshot that is asked."""
