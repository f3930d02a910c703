"""Your own documents: a folder read, questions on it, methods compared, and a report that says which one to take."""

from hierrag_lessons.own_documents.asking import Asked, ask_documents
from hierrag_lessons.own_documents.folder import Folder, Unread, read_folder
from hierrag_lessons.own_documents.labelling import label_documents
from hierrag_lessons.own_documents.places import place_of, printable
from hierrag_lessons.own_documents.questions import read_questions
from hierrag_lessons.own_documents.session import Labelled
from hierrag_lessons.own_documents.silver import SILVER, SILVER_LIMITS, silver_questions

__all__ = [
    "SILVER",
    "SILVER_LIMITS",
    "Asked",
    "Folder",
    "Labelled",
    "Unread",
    "ask_documents",
    "label_documents",
    "place_of",
    "printable",
    "read_folder",
    "read_questions",
    "silver_questions",
]
