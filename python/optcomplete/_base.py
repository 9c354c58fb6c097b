"""Settings as scikit-learn wants them, without needing it."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable
from typing import Any, TypeVar

from ._errors import OptCompleteError

_not_options = {"progress"}
given_weights = "sample_weight"  # the column of weights that were given by themselves
_times = {"time_limit", "search_time"}
_baselines = {"softimpute", "imc", "effects"}
_paths = {"checkpoint", "warm_start", "features_config", "save_cuts", "temp", "solver_path"}


def options_of(settings: dict[str, Any], arguments_of: Callable[..., Any] | None = None) -> dict[str, Any]:
    """Settings as options of a verb: those that are not the defaults of a function's arguments."""
    defaults = inspect.signature(arguments_of).parameters if arguments_of is not None else {}
    options: dict[str, Any] = {}
    for name, value in settings.items():
        if value is None or name in _not_options:
            continue
        if name == "search_time" and value == defaults[name].default:
            if settings.get("time_limit") is not None or settings.get("method") in _baselines:
                continue
        elif name in defaults and type(value) is type(defaults[name].default) and value == defaults[name].default:
            continue
        if name in _times and isinstance(value, (int, float)) and not isinstance(value, bool):
            value = f"{float(value):.9f}s"
        if name in _paths:
            folder = getattr(value, "_model", None)
            value = folder.folder if folder is not None else os.path.abspath(value)
        options[name] = value
    return options


def recorded(summary: dict[str, Any], arguments_of: Callable[..., Any]) -> dict[str, Any]:
    """The arguments of a function that a saved model was made with, as far as it says."""
    given: dict[str, Any] = {name: summary[name] for name in ("k", "method", "seed", "always", "never", "at_most") if summary.get(name)}
    if summary.get("model") in ("full", "pooled", "paper"):
        given["model"] = summary["model"]
    known = inspect.signature(arguments_of).parameters
    for flag, text in (summary.get("settings") or {}).items():
        name = flag.replace("-", "_")
        if name not in known or (name == "weight" and text == given_weights):
            continue
        given[name] = _value(text, known[name])
    return given


def _value(text: str, argument: inspect.Parameter) -> Any:
    """A setting from its text."""
    if isinstance(argument.default, bool):
        return text == "true"
    for kind in (int, float):
        if kind.__name__ in str(argument.annotation):
            try:
                return kind(text)
            except ValueError:  # a word, such as auto
                continue
    return text.split("\n") if "\n" in text else text


_Made = TypeVar("_Made")


class Settings:
    """What all estimators say of their arguments and of what they do not have."""

    def __new__(cls: type[_Made], *_: Any, **settings: Any) -> _Made:
        known = list(inspect.signature(cls.__init__).parameters)[1:]
        for name in settings:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1) or [k for k in known if set(k) == set(name)][:1]
                hint = f"did you mean {near[0]!r}?" if near else "docs/python-api.md lists them"
                raise TypeError(f"{cls.__name__} has no setting {name!r} ({hint})")
        return object.__new__(cls)

    @property
    def predict_proba(self) -> Any:
        # As scikit-learn does where an estimator has no such method: hasattr is False, and the reason is said.
        raise AttributeError(f'{type(self).__name__} is no classifier and has no predict_proba: with loss="logistic", predict gives the probability of yes')


class Params(Settings):
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
