"""The pydantic side: validates and normalises databases, reads table shapes and tool schemas off the annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError, create_model

from domains.database import SINGLE, Base, Table
from domains.errors import DataError
from domains.values import JSON, Record


def record(instance: BaseModel) -> Record:
    """Turn a validated model into a record of JSON values, fields in schema order."""
    return Record({name: _plain(value) for name, value in instance.__dict__.items()})


def _plain(value: Any) -> JSON:
    match value:
        case Enum():
            return value.value
        case str() | int() | float() | None:
            return value
        case BaseModel():
            return record(value)
        case dict():
            return {_plain(k): _plain(v) for k, v in value.items()}
        case list() | tuple():
            return [_plain(v) for v in value]
        case date():
            return str(value)  # `2025-01-20 14:30:00`, as `default=str` prints it in the official digest
        case _:
            raise TypeError(f"{type(value).__name__} is not a value of a database")


def load_base(name: str, model: type[BaseModel], data: JSON, origin: str) -> Base:
    """Validate and normalise a database. Raises DataError naming the file, the place and what was expected."""
    try:
        state = model.model_validate(data)
    except ValidationError as error:
        raise DataError(f"{origin}: {explain(error)}") from None
    shape = shape_of(model)
    tables: dict[str, dict[str, Record]] = {}
    for table in shape:
        value = getattr(state, table.name)
        match table.kind:
            case "mapping":
                tables[table.name] = {key: record(item) for key, item in value.items()}
            case "list":
                tables[table.name] = {str(getattr(item, table.id_field)): record(item) for item in value}
            case "single":
                tables[table.name] = {SINGLE: record(value)}
    return Base(name, shape, tables)


def explain(error: ValidationError, *prefix: str) -> str:
    """Return one line for a failed validation: the place and what was expected there."""
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, (*prefix, *first["loc"]))) or "top level"
    return f"{place}: {first['msg']}"


def shape_of(model: type[BaseModel]) -> tuple[Table, ...]:
    """Return the tables of a database model: dict fields, list fields with an id field, single records.

    A list's id field is named by the model's `ids` class variable: {"lines": "line_id"}.
    """
    ids: dict[str, str] = getattr(model, "ids", {})
    tables = []
    for name, info in model.model_fields.items():
        annotation = info.annotation
        origin, args = get_origin(annotation), get_args(annotation)
        if origin is dict:
            tables.append(Table(name, "mapping", args[1]))
        elif origin is list:
            tables.append(Table(name, "list", args[0], ids[name]))
        else:
            assert isinstance(annotation, type) and issubclass(annotation, BaseModel), name
            tables.append(Table(name, "single", annotation))
    return tuple(tables)


def parameters_of(function: Callable[..., Any]) -> dict[str, JSON]:
    """Return the JSON schema (an object) of a tool's arguments."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name != "self":
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[name] = (hints[name], default)
    model: type[BaseModel] = create_model("parameters", **fields)
    schema = model.model_json_schema()
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    return schema
