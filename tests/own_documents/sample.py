"""A small set of documents with questions, on which all methods run in a second."""

from hierrag_lessons.contracts.shelf import WordHashEmbedder
from hierrag_lessons.evaluation import Evidence, Question
from hierrag_lessons.model import Document

TOPICS = ("boilers", "lifts", "gutters", "fences", "alarms", "meters")
EMBEDDER = WordHashEmbedder()


def documents(topics=TOPICS):
    return [
        Document(
            f"guides/{topic}.md",
            f"# {topic.title()}\n\nThis guide is about {topic} and the people who look after them.\n\n"
            + "".join(
                f"## Part {part}\n\nThe {topic} of house {part} are checked by team {topic[0]}{part} every {part + 2} "
                f"weeks. A report goes to the office on the same day. Nobody else may open them.\n\n"
                f"| what | when |\n| --- | --- |\n| {topic} {part} | week {part} |\n\n"
                for part in range(6)
            ),
            "markdown",
        )
        for topic in topics
    ]


def questions(made, per_document=2):
    found = []
    for document in made:
        topic = document.doc_id.split("/")[1].removesuffix(".md")
        for part in range(per_document):
            start = document.text.index(f"The {topic} of house {part}")
            evidence = Evidence(document.doc_id, start, document.text.index(". A report", start) + 1)
            asked = f"How often does somebody check the {topic} in house {part}?"
            found.append(Question(f"{topic}-{part}", asked, "single_fact", None, (evidence,)))
    return found
