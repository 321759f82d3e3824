"""The research wing: see its README. The names of this module are promised, as those of `stichkampf` are."""

from importlib import import_module
from typing import TYPE_CHECKING

from stichkampf.errors import MissingLibrary, installing

if TYPE_CHECKING:
    from stichkampf.lab.batch import Batch
    from stichkampf.lab.batch.gymnasium_view import VectorView
    from stichkampf.lab.batch.imitation import gather, train
    from stichkampf.lab.batch.nets import Net, save_net
    from stichkampf.lab.batch.pettingzoo_view import DealView
    from stichkampf.lab.batch.pufferlib_view import PufferView
    from stichkampf.lab.batch.trained import TableObserver
    from stichkampf.lab.dataset import load
    from stichkampf.lab.language_model import Endpoint, LanguageModelBot

_MODULES = {
    "Batch": "batch",
    "DealView": "batch.pettingzoo_view",
    "Endpoint": "language_model",
    "LanguageModelBot": "language_model",
    "Net": "batch.nets",
    "PufferView": "batch.pufferlib_view",
    "TableObserver": "batch.trained",
    "VectorView": "batch.gymnasium_view",
    "gather": "batch.imitation",
    "load": "dataset",
    "save_net": "batch.nets",
    "train": "batch.imitation",
}
_EXTRAS = {
    "batch.gymnasium_view": "sb3",
    "batch.nets": "net",
    "batch.pettingzoo_view": "pettingzoo",
    "batch.pufferlib_view": "",
    "dataset": "dataset",
}
"""By module, the extra with its libraries; that of the others is `batch`, and there is none for PufferLib."""
__all__ = [
    "Batch",
    "DealView",
    "Endpoint",
    "LanguageModelBot",
    "Net",
    "PufferView",
    "TableObserver",
    "VectorView",
    "gather",
    "load",
    "save_net",
    "train",
]


def __getattr__(name: str) -> object:
    """Load what is asked for: each name needs libraries of its own."""
    if name in _MODULES:
        module = _MODULES[name]
        try:
            return globals().setdefault(name, getattr(import_module(f"{__name__}.{module}"), name))
        except ModuleNotFoundError as missing:
            extra = _EXTRAS.get(module, "batch")
            way = installing(extra) if extra else f"pip install {missing.name}"
            raise MissingLibrary(f"{__name__}.{name} needs {missing.name}: {way}") from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
