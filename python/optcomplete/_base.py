"""Settings as scikit-learn wants them, without needing it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from ._errors import OptCompleteError

_not_options = {"progress"}
_times = {"time_limit"}
_paths = {"checkpoint", "warm_start", "features_config", "save_cuts", "temp", "solver_path"}


def options_of(settings: dict[str, Any], arguments_of: Callable[..., Any] | None = None) -> dict[str, Any]:
    """Settings as options of a verb: those that are not the defaults of a function's arguments."""
    defaults = inspect.signature(arguments_of).parameters if arguments_of is not None else {}
    options: dict[str, Any] = {}
    for name, value in settings.items():
        if value is None or name in _not_options:
            continue
        if name in defaults and type(value) is type(defaults[name].default) and value == defaults[name].default:
            continue
        if name in _times and isinstance(value, (int, float)) and not isinstance(value, bool):
            value = f"{float(value):.9f}s"
        if name in _paths:
            folder = getattr(value, "_model", None)
            value = folder.folder if folder is not None else os.path.abspath(value)
        options[name] = value
    return options


class Params:
    """get_params, set_params and repr, by the arguments of __init__."""

    @classmethod
    def _names(cls) -> list[str]:
        return [p for p in inspect.signature(cls.__init__).parameters if p != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Any:
        """Change settings; they count from the next fit on."""
        known = self._names()
        for name, value in params.items():
            if name not in known:
                raise OptCompleteError(f"{name!r} is not a setting of {type(self).__name__}", f"they are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = []
        for name, value in self.get_params().items():
            default = signature[name].default
            if value is not default and not (type(value) is type(default) and value == default):
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags(allow_nan=True, sparse=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "summary_")
