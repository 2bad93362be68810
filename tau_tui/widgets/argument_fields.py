"""What a form asks for, read off a tool's JSON schema, and what was typed into it, as JSON. No widget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domains.values import JSON

Shape: TypeAlias = Literal["text", "integer", "number", "boolean", "choice", "json"]


class BadValue(Exception):
    """What was typed is no value of the field: one line that says where and what was expected."""


class Missing(Exception):
    """A required field is empty."""


@dataclass(frozen=True, slots=True)
class Field:
    """One argument. `example` is a skeleton for nested values, `choices` pairs what is shown with the value."""

    name: str
    shape: Shape
    required: bool
    description: str = ""
    choices: tuple[tuple[str, JSON], ...] = ()
    example: str = ""
    kind: str = ""
    """The JSON type a nested value must have: `array` or `object`."""

    @property
    def hint(self) -> str:
        """The type in a word."""
        return {"text": "text", "integer": "whole number", "number": "number", "boolean": "yes or no"}.get(
            self.shape, "one of the list" if self.shape == "choice" else f"JSON {self.kind}".strip()
        )


def fields_of(schema: Mapping[str, JSON]) -> tuple[Field, ...]:
    """Return the fields of an object schema, in its order."""
    required = set(schema.get("required", ()))
    defs = schema.get("$defs", {})
    return tuple(_field(name, spec, name in required, defs) for name, spec in schema.get("properties", {}).items())


def _field(name: str, spec: Mapping[str, JSON], required: bool, defs: Mapping[str, JSON]) -> Field:
    plain = _resolved(spec, defs)
    text = str(spec.get("description") or plain.get("description") or "")
    if "enum" in plain:
        choices = tuple((value if isinstance(value, str) else json.dumps(value), value) for value in plain["enum"])
        return Field(name, "choice", required, text, choices)
    match plain.get("type"):
        case "string":
            return Field(name, "text", required, text)
        case "integer" | "number" | "boolean" as shape:
            choices = (("yes", True), ("no", False)) if shape == "boolean" else ()
            return Field(name, shape, required, text, choices)
        case "array" | "object" as kind:
            return Field(name, "json", required, text, example=_skeleton(plain, defs), kind=str(kind))
        case _:
            return Field(name, "json", required, text)


def _resolved(spec: Mapping[str, JSON], defs: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Follow a reference, and take what an optional value is when it is there."""
    if "$ref" in spec:
        return _resolved(defs[str(spec["$ref"]).rpartition("/")[2]], defs)
    options = [option for option in spec.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        return _resolved(options[0], defs)
    # tau2 declares lists of records as records or plain objects; the record says more.
    refs = [option for option in options if "$ref" in option]
    return _resolved(refs[0], defs) if refs else spec


def _skeleton(spec: Mapping[str, JSON], defs: Mapping[str, JSON]) -> str:
    if spec.get("type") == "object":
        return json.dumps(_example(spec, defs), ensure_ascii=False)
    return f"[\n  {json.dumps(_example(spec.get('items', {}), defs), ensure_ascii=False)}\n]"


def _example(spec: Mapping[str, JSON], defs: Mapping[str, JSON]) -> JSON:
    spec = _resolved(spec, defs)
    if "enum" in spec:
        return spec["enum"][0]
    match spec.get("type"):
        case "object":
            return {name: _example(part, defs) for name, part in spec.get("properties", {}).items()}
        case "array":
            return [_example(spec.get("items", {}), defs)]
        case "integer" | "number":
            return 0
        case "boolean":
            return False
        case _:
            return ""


def value_of(field: Field, typed: str) -> JSON:
    """Return the JSON value of what was typed. Raises Missing for an empty field, BadValue for what does not fit."""
    text = typed.strip()
    if not text:
        raise Missing(field.name)
    match field.shape:
        case "text":
            return typed
        case "integer":
            try:
                return int(text)
            except ValueError:
                raise BadValue(f"{field.name}: {text!r} is not a whole number") from None
        case "number":
            try:
                number = float(text)
            except ValueError:
                raise BadValue(f"{field.name}: {text!r} is not a number") from None
            if number != number or number in (float("inf"), float("-inf")):
                raise BadValue(f"{field.name}: {text!r} is not a number JSON can carry")
            return number
        case "boolean" | "choice":
            for shown, value in field.choices:
                if shown == text:
                    return value
            raise BadValue(f"{field.name}: choose {' or '.join(shown for shown, _ in field.choices)}")
        case "json":
            return _nested(field, text)


def _nested(field: Field, text: str) -> JSON:
    wanted = {"array": "a list is expected, in [ ]", "object": "an object is expected, in { }"}.get(field.kind, "")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        if wanted and text[0] not in "[{":  # words, or ids one after the other: no slip in JSON, but no JSON
            raise BadValue(f"{field.name}: {wanted}") from None
        raise BadValue(f"{field.name}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise BadValue(f"{field.name}: {error}") from None
    if wanted and not isinstance(value, list if field.kind == "array" else dict):
        raise BadValue(f"{field.name}: {wanted}")
    return value


def _refuse_constant(name: str) -> JSON:
    raise ValueError(f"{name} is no JSON value")


def size_of(field: Field, typed: str) -> str:
    """Return a nested value in a word for its one-row form: `2 ▸`, `invalid ▸`."""
    try:
        value = value_of(field, typed)
    except Missing:
        return "none ▸"
    except BadValue:
        return "not valid ▸"
    return f"{len(value)} ▸" if isinstance(value, list | dict) else "1 ▸"
