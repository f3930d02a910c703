"""Exercise 18.2, a base filter and a constraint on the same field."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Filter = dict[str, list[str]]


def both(base: dict[str, list[str]], constraint: dict[str, list[str]]) -> dict[str, list[str]] | None:
    """The filter that lets through what passes both, values sorted; ``None`` where nothing can."""
    combined: dict[str, list[str]] = {}
    for field in [*base, *constraint]:
        values = set(base.get(field, constraint.get(field, [])))
        combined[field] = sorted(values & set(constraint.get(field, values)))
    return combined if all(combined.values()) else None


def overwrite(base: dict[str, list[str]], constraint: dict[str, list[str]]) -> dict[str, list[str]] | None:
    """The filter that lets through what passes both, values sorted; ``None`` where nothing can."""
    combined = {**base, **constraint}
    if not all(combined.values()):
        return None
    return {field: sorted(set(values)) for field, values in combined.items()}


def _ask_each_value(base: Filter, constraint: Filter) -> Filter | None:
    """Oracle: ask of every value of every field whether both filters let it through."""
    result: Filter = {}
    for field in set(base) | set(constraint):
        candidates = base.get(field, []) + constraint.get(field, [])
        result[field] = []
        for value in sorted(set(candidates)):
            if all(field not in filter_ or value in filter_[field] for filter_ in (base, constraint)):
                result[field].append(value)
        if not result[field]:
            return None
    return result


def _cases(rng: Random) -> Iterator[tuple[Filter, Filter]]:
    yield {}, {}
    yield {"doc_id": ["ours"]}, {"doc_id": ["ours", "theirs"]}
    yield {"doc_id": ["ours"]}, {"doc_id": ["theirs"]}
    yield {"doc_id": ["ours"]}, {"parent_id": ["b", "a"]}
    yield {"doc_id": ["ours"]}, {"parent_id": []}
    yield {"doc_id": []}, {"parent_id": ["a"]}
    yield {"doc_id": ["b", "a", "c"]}, {"doc_id": ["c", "b"]}
    yield {"doc_id": ["b", "a", "b"]}, {}
    for _ in range(40):
        filters = []
        for _ in range(2):
            fields = rng.sample(["doc_id", "parent_id", "node_id"], rng.randrange(3))
            filters.append({field: rng.sample("abcd", rng.choice([0, 1, 2, 3, 4])) for field in fields})
        yield filters[0], filters[1]


def _base_wins(base: Filter, constraint: Filter) -> Filter | None:
    return overwrite(constraint, base)


def _either(base: Filter, constraint: Filter) -> Filter | None:
    fields = {**base, **constraint}
    return overwrite({}, {field: base.get(field, []) + constraint.get(field, []) for field in fields})


def _empty_list(base: Filter, constraint: Filter) -> Filter | None:
    values = {field: set(base.get(field, constraint.get(field, []))) for field in [*base, *constraint]}
    return {field: sorted(own & set(constraint.get(field, own))) for field, own in values.items()}


def _no_values_no_filter(base: Filter, constraint: Filter) -> Filter | None:
    return {field: values for field, values in _empty_list(base, constraint).items() if values}  # type: ignore[union-attr]


def _only_shared_fields(base: Filter, constraint: Filter) -> Filter | None:
    combined = both(base, constraint)
    return combined and {field: values for field, values in combined.items() if field in base and field in constraint}


def _fields_in_both(base: Filter, constraint: Filter) -> Filter | None:
    combined = {field: sorted(set(base[field]) & set(constraint[field])) for field in base if field in constraint}
    return combined if all(combined.values()) else None


def _as_given(base: Filter, constraint: Filter) -> Filter | None:
    combined = both(base, constraint)
    given = {**constraint, **base}
    return combined and {
        field: [v for v in dict.fromkeys(given[field]) if v in values] for field, values in combined.items()
    }


TWO_FILTERS = Exercise(
    id="18.2",
    title="Find the bug: two filters, one field",
    solution=both,
    start=overwrite,
    oracle=_ask_each_value,
    cases=_cases,
    hints=(
        "Let the base filter allow one document, and the coarse level find that one and another.",
        "In {**a, **b} the second value of a field takes the place of the first. Which of the two filters is lost?",
        "Where both name a field, a value must be in both lists. Where none is, nothing can pass: None.",
    ),
    mistakes=(
        Mistake(
            _base_wins,
            "Now the base filter takes the place of the constraint. Where both name a field, both have to hold.",
        ),
        Mistake(_either, "These are the values that pass one of the two filters. Both have to hold."),
        Mistake(_empty_list, "A field with no value left lets nothing through: return None, so that no one searches."),
        Mistake(
            _no_values_no_filter,
            "A field with no value left was dropped, and a filter without a field lets everything through.",
        ),
        Mistake(_only_shared_fields, "A field that only one filter names still has to hold."),
        Mistake(
            _fields_in_both,
            "Fields of one filter only were passed over, even an empty one. Each field of either filter has to hold.",
        ),
        Mistake(_as_given, "The values are right, in the order in which they came. Sort the values of each field."),
    ),
)
