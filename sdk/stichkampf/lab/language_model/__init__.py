"""Language models as bots, at any endpoint of the usual chat-completions form."""

from stichkampf.lab.language_model.bot import LanguageModelBot
from stichkampf.lab.language_model.endpoint import Endpoint, EndpointAway, EndpointError
from stichkampf.lab.language_model.spending import Spending

__all__ = ["Endpoint", "EndpointAway", "EndpointError", "LanguageModelBot", "Spending"]
