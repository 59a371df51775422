"""`ModelRow`: what the registry says of one model; the rows stand below the configs of their task."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model: what it is called, what it does, and where its code is."""

    name: str
    task: str  # tagging, lm or sentiment
    config: type
    module: str  # "package.module:Class"; for tagging the class is the encoder between input layer and softmax
    summary: str
    citation: str
    preset: Mapping[str, Any] = field(default_factory=dict)  # values of `config` that the name stands for
    counted: bool = False  # estimated from counts in one pass: no gradients, no epochs
    any_shape: bool = False  # a tree model whose nodes may have any number of children, and words

    def load_class(self) -> Any:
        """The class that `module` names; imports torch."""
        module, name = self.module.split(":")
        return getattr(importlib.import_module(module), name)
