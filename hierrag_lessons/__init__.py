"""The tested package behind the course: spans, chunkers, an index, retrievers, and the measures that compare them."""
