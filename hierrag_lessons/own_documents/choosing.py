"""The ways to choose a method: at a first look, on all questions, or on one half with the other half as judge.

Lesson 24 uses it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean

from hierrag_lessons.evaluation import detectable
from hierrag_lessons.evaluation.verdicts import SHOWN, STANDARD_ERRORS
from hierrag_lessons.own_documents.leads import Lead, halves, lead
from hierrag_lessons.own_documents.recommendation import Recommendation

WORTH = 0.05
"""The difference in recall that is worth a larger effort: five hundredths of the evidence more."""

FEWEST = 30
"""With fewer questions nothing is decided."""

ENOUGH_FOR_HALVES = 100
"""From so many questions on, one half chooses and the other half judges."""

_AS_GOOD = 0.01  # on the half that chooses


@dataclass(frozen=True)
class Choosing:
    """Each method's score by question, the yardstick first, and what choosing by them needs.

    ``p_values`` are those of all but the yardstick, adjusted after Holm.
    """

    scores: Mapping[str, Mapping[str, float]]
    efforts: Mapping[str, int]
    p_values: Mapping[str, float]
    silver: bool = False

    def in_vain(self, easy: bool) -> Recommendation:
        """Every method finds nearly all, or nearly nothing."""
        if easy:
            said = "are too easy: every method finds nearly all of their evidence. Ask harder ones."
        else:
            said = (
                "are too hard: every method finds next to nothing of their evidence. Look whether the quotes are those "
                "that answer, and whether they are longer than the contexts."
            )
        text = f"Can't tell: the {self._asked} {said} Until then take {self._first!r}, the simplest."
        return self._made(self._first, self._best(), text, more=max(10, FEWEST - self._number))

    def first_look(self) -> Recommendation:
        """On silver questions alone nothing is decided; of the methods with one flat index the best is named."""
        best = self._best(among=list(self.scores))
        simplest = self._simplest()
        gains = []
        if best != self._first:
            flat = ", the best of the flat hybrid ones" if simplest == self._first else ""
            gains.append(f"{self._adjusted(best)} over {self._first!r}{flat}")
        if simplest not in (best, self._first):
            gains.append(f"{self._lead(best, simplest)} over {simplest!r}, the best of the flat hybrid ones")
        against = f": {', and '.join(gains)}" if gains else ""
        chosen = simplest if simplest != self._first and self._adjusted(simplest).shown else self._first
        favoured = (
            " Silver questions ask for single sentences and favour methods that find those, so its lead may be theirs."
            if self.efforts[best]
            else ""
        )
        text = (
            f"First look, not a choice: on {self._asked} {best!r} has the highest recall, {self._mean(best):.2f}"
            f"{against}.{favoured} Until people's questions say more take "
            f"{chosen!r}; label {ENOUGH_FOR_HALVES} of them."
        )
        return self._made(chosen, best if best != self._first else self._best(), text, more=ENOUGH_FOR_HALVES)

    def on_all(self) -> Recommendation:
        """All questions choose and judge, p-values after Holm."""
        best = self._best()
        ahead = [name for name in self._others if self._adjusted(name).shown]
        if self._number < FEWEST:
            said = f"{self._asked} are too few to choose by; {FEWEST} are the least, and {ENOUGH_FOR_HALVES} are good."
            return self._open(best, said, len(self._others))
        if ahead:
            best = self._best(among=ahead)
            chosen = self._simpler(best, None)
            if chosen == self._first:
                return self._yardstick(best, f"On {self._asked}")
            gain = self._adjusted(chosen)
            text = (
                f"Take {chosen!r}. On {self._asked} its recall is {self._mean(chosen):.2f}, ahead of {self._first!r} "
                f"by {gain}{self._over_flat(chosen, None)}.{self._passed_over(chosen, best, None)} The same questions "
                f"chose and judged it, so expect somewhat less; from {ENOUGH_FOR_HALVES} questions on one half judges."
            )
            return self._made(chosen, best, text, decided=True)
        if self._adjusted(best).most > WORTH:
            return self._open(best, f"On {self._asked} no method is shown ahead of {self._first!r}.", len(self._others))
        return self._yardstick(best, f"On {self._asked}")

    def on_halves(self) -> Recommendation:
        """One half chooses, by the highest recall, and the other judges."""
        choose, judge = halves(list(self.scores[self._first]))
        top = self._mean(self._best(choose, list(self.scores)), choose)
        near = [name for name in self.scores if self._mean(name, choose) >= top - _AS_GOOD]
        picked = min(near, key=lambda name: (self.efforts[name], -self._mean(name, choose), name != self._first))
        best = self._best(choose) if picked == self._first else picked
        before, gain = self._lead(best, self._first, choose), self._lead(best, self._first, judge)
        halved = f"On {len(choose)} questions, which chose, {best!r} differs from {self._first!r} by {before}"
        if picked != self._first and gain.shown:
            chosen = self._simpler(best, judge)
            if chosen == self._first:
                return self._yardstick(best, f"{halved}. On the other {len(judge)}", judge, before)
            before, gain = self._lead(chosen, self._first, choose), self._lead(chosen, self._first, judge)
            text = (
                f"Take {chosen!r}. On {len(judge)} questions that chose nothing its "
                f"recall is {self._mean(chosen, judge):.2f}, ahead of {self._first!r} by {gain}"
                f"{self._over_flat(chosen, judge)}. On the {len(choose)} that chose it was ahead by "
                f"{before.difference:+z.2f}.{self._passed_over(chosen, best, judge)}"
            )
            return self._made(chosen, best, text, judge, decided=True, chosen_by=before)
        if gain.most > WORTH:
            said = f"{halved}; on the other {len(judge)}, which judge, it is not shown ahead."
            return self._open(best, said, 1, judge, before)
        return self._yardstick(best, f"{halved}. On the other {len(judge)}", judge, before)

    def _open(
        self, best: str, said: str, compared: int, keys: Sequence[str] | None = None, before: Lead | None = None
    ) -> Recommendation:
        """It cannot be told; about how many questions would."""
        gain = self._lead(best, self._first, keys)
        aim = min(WORTH, max(WORTH / 2, gain.difference))
        # Where there are halves, only every second new question judges: as many of all are missing as of the half.
        needed = _tens(self._number * ((self._detectable(best, keys) * _sterner(compared) / aim) ** 2 - 1))
        more = max(10, _tens(FEWEST - self._number), needed)
        # So few that they do not show how they scatter say nothing of how many it takes.
        goal = f" to see a difference of {aim:.2f}" if more == needed else ", then see again"
        there = " there" if keys else ""
        text = (
            f"Can't tell yet. {said} The best of the others, {best!r}, differs by {gain} in recall{there}, which "
            f"leaves open whether it is worth its effort. Label about {more:,} more questions{goal}. Until then take "
            f"{self._first!r}, the simplest."
        )
        return self._made(self._first, best, text, keys, more=more, chosen_by=before)

    def _yardstick(
        self, best: str, where: str, keys: Sequence[str] | None = None, before: Lead | None = None
    ) -> Recommendation:
        """A difference that is worth it is ruled out."""
        mean = self._mean(self._first, keys)
        text = (
            f"Take {self._first!r}, the simplest. {where} its recall is {mean:.2f}, and {best!r}, "
            f"the best of the others, differs by {self._lead(best, self._first, keys)}: {WORTH:.2f} more is ruled out, "
            "and less is not worth an effort."
        )
        return self._made(self._first, best, text, keys, decided=True, chosen_by=before)

    def _made(
        self,
        method: str,
        best: str,
        text: str,
        keys: Sequence[str] | None = None,
        *,
        decided: bool = False,
        more: int = 0,
        chosen_by: Lead | None = None,
    ) -> Recommendation:
        said = best if method == self._first else method
        gain = self._lead(said, self._first, keys) if keys else self._adjusted(said)
        seen = self._detectable(best, keys)
        return Recommendation(method, decided, best, gain, seen, more, text, chosen_by)

    @property
    def _first(self) -> str:
        return next(iter(self.scores))

    @property
    def _others(self) -> list[str]:
        return list(self.scores)[1:]

    @property
    def _number(self) -> int:
        return len(self.scores[self._first])

    @property
    def _asked(self) -> str:
        return f"{self._number} {'silver ' if self.silver else ''}questions"

    def _mean(self, name: str, keys: Sequence[str] | None = None) -> float:
        return fmean(self.scores[name][key] for key in (keys or self.scores[name]))

    def _best(self, keys: Sequence[str] | None = None, among: Sequence[str] | None = None) -> str:
        return max(among or self._others, key=lambda name: self._mean(name, keys))

    def _simplest(self, keys: Sequence[str] | None = None) -> str:
        """The best with one flat index and nothing else."""
        return self._best(keys, [name for name in self.scores if self.efforts[name] == 0])

    def _lead(self, this: str, that: str, keys: Sequence[str] | None = None) -> Lead:
        return lead({key: self.scores[this][key] for key in (keys or self.scores[this])}, self.scores[that])

    def _adjusted(self, name: str) -> Lead:
        return replace(self._lead(name, self._first), p=self.p_values[name])

    def _simpler(self, best: str, keys: Sequence[str] | None) -> str:
        """The best, or the simplest that it is not far before, and that is the yardstick or ahead of that as well."""
        simpler = [name for name in self.scores if self.efforts[name] < self.efforts[best]]
        near = [name for name in simpler if self._lead(best, name, keys).high <= WORTH]
        fit = [name for name in near if name == self._first or self._over_first(name, keys).shown]
        return min(fit, key=lambda name: (self.efforts[name], -self._mean(name, keys), name), default=best)

    def _over_first(self, name: str, keys: Sequence[str] | None) -> Lead:
        return self._lead(name, self._first, keys) if keys else self._adjusted(name)

    def _over_flat(self, chosen: str, keys: Sequence[str] | None) -> str:
        """The lead over the best of the flat ones, where the method is none of them."""
        flat = self._simplest(keys)
        if self.efforts[chosen] == 0 or flat == self._first:
            return ""
        return f", and of {flat!r}, the best of the flat ones, by {self._lead(chosen, flat, keys)}"

    def _passed_over(self, chosen: str, best: str, keys: Sequence[str] | None) -> str:
        if chosen == best:
            return ""
        return (
            f" {best!r} has {self._mean(best, keys):.2f}, {self._lead(best, chosen, keys)} more: less than the "
            f"{WORTH:.2f} that would be worth its effort."
        )

    def _detectable(self, best: str, keys: Sequence[str] | None) -> float:
        base = self.scores[self._first]
        return detectable([self.scores[best][key] - base[key] for key in (keys or base)])


def _sterner(methods: int) -> float:
    """How many times the difference has to be that a single comparison shows, for the first of several after Holm."""
    return (NormalDist().inv_cdf(1 - SHOWN / 2 / methods) + NormalDist().inv_cdf(0.8)) / STANDARD_ERRORS


def _tens(number: float) -> int:
    return 10 * math.ceil(number / 10)
