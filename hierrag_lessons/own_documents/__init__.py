"""Your own documents: a folder read, questions on it, methods compared, and a report that says which one to take."""

from hierrag_lessons.own_documents.asking import Asked, ask_documents
from hierrag_lessons.own_documents.compare import Comparison, compare_methods
from hierrag_lessons.own_documents.folder import Folder, Unread, read_folder
from hierrag_lessons.own_documents.labelling import label_documents
from hierrag_lessons.own_documents.methods import Method, own_methods
from hierrag_lessons.own_documents.places import place_of, printable
from hierrag_lessons.own_documents.questions import read_questions
from hierrag_lessons.own_documents.recommendation import Recommendation
from hierrag_lessons.own_documents.recommending import recommend
from hierrag_lessons.own_documents.report.page import Report
from hierrag_lessons.own_documents.session import Labelled
from hierrag_lessons.own_documents.silver import SILVER, SILVER_LIMITS, silver_questions
from hierrag_lessons.own_documents.whole import compare_documents

__all__ = [
    "SILVER",
    "SILVER_LIMITS",
    "Asked",
    "Comparison",
    "Folder",
    "Labelled",
    "Method",
    "Recommendation",
    "Report",
    "Unread",
    "ask_documents",
    "compare_documents",
    "compare_methods",
    "label_documents",
    "own_methods",
    "place_of",
    "printable",
    "read_folder",
    "read_questions",
    "recommend",
    "silver_questions",
]
