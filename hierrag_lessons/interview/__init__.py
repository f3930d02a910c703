"""Interview practice: questions with rubrics, design cases, code reviews, and ways to draw, mark, time and print them.

Cards come again by SM-2 (Wozniak 1990). Marks are given against a rubric: by oneself, or by a chat model that has to
quote what it gives a mark for.
"""

from hierrag_lessons.interview.choosing import CARD_RULES, Deck, Rule, RuleName, choose
from hierrag_lessons.interview.export import anki_text, printable_page
from hierrag_lessons.interview.items import Calculation, CodeReview, DesignCase, InterviewItem, InterviewQuestion
from hierrag_lessons.interview.keeping import add_attempt, attempts_file, read_attempts
from hierrag_lessons.interview.loading import load_code_reviews, load_design_cases, load_interview_questions
from hierrag_lessons.interview.marking import MARKING_RULES, Marked, ModelMarker, mark
from hierrag_lessons.interview.mock import MockInterview, MockMinutes, MockSlot, plan_mock
from hierrag_lessons.interview.practice import Card, drill
from hierrag_lessons.interview.rehearsing import Rehearsal, rehearse
from hierrag_lessons.interview.rubrics import InterviewLevel, RubricPoint
from hierrag_lessons.interview.scheduling import Attempt, Kept, Memory, after_review, kept_overnight, memories

__all__ = [
    "CARD_RULES",
    "MARKING_RULES",
    "Attempt",
    "Calculation",
    "Card",
    "CodeReview",
    "Deck",
    "DesignCase",
    "InterviewItem",
    "InterviewLevel",
    "InterviewQuestion",
    "Kept",
    "Marked",
    "Memory",
    "MockInterview",
    "MockMinutes",
    "MockSlot",
    "ModelMarker",
    "Rehearsal",
    "RubricPoint",
    "Rule",
    "RuleName",
    "add_attempt",
    "after_review",
    "anki_text",
    "attempts_file",
    "choose",
    "drill",
    "kept_overnight",
    "load_code_reviews",
    "load_design_cases",
    "load_interview_questions",
    "mark",
    "memories",
    "plan_mock",
    "printable_page",
    "read_attempts",
    "rehearse",
]
