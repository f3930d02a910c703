"""Your own documents: a folder read, questions on it, methods compared, and a report that says which one to take."""

from hierrag_lessons.own_documents.folder import Folder, Unread, read_folder

__all__ = [
    "Folder",
    "Unread",
    "read_folder",
]
