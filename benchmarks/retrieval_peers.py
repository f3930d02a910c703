"""Retrievers of other packages on the same leaves, vectors and queries, for ``benchmarks/retrieval.py``.

They are set up as their documentation does, with the in-memory stores that it uses. Vectors are given to them, so that
they embed nothing either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.synthetic import Library, NumberEmbedder
from hierrag_lessons.model import Hierarchy

Ask = Callable[[str], object]


def llama_index_auto_merging(library: Library, embedder: NumberEmbedder, hits: int) -> Mapping[str, Ask]:
    """``AutoMergingRetriever`` over three levels."""
    core, schema = import_module("llama_index.core"), import_module("llama_index.core.schema")
    merging = import_module("llama_index.core.retrievers").AutoMergingRetriever
    relation = schema.NodeRelationship
    nodes: dict[str, Any] = {}
    leaves = []
    for made in map(library.hierarchy, library.documents):
        for level in made.levels[1:]:
            for node in level:
                nodes[node.node_id] = schema.TextNode(id_=node.node_id, text=node.text)
        for level in made.levels[1:-1]:
            for node in level:
                children = [nodes[child.node_id].as_related_node_info() for child in made.children(node)]
                nodes[node.node_id].relationships[relation.CHILD] = children
                for child in made.children(node):
                    nodes[child.node_id].relationships[relation.PARENT] = nodes[node.node_id].as_related_node_info()
        leaves += _embedded(made, nodes, embedder)
    storage = core.StorageContext.from_defaults()
    storage.docstore.add_documents(list(nodes.values()))
    index = core.VectorStoreIndex(leaves, storage_context=storage, embed_model=core.MockEmbedding(embedder.dim))
    retriever = merging(index.as_retriever(similarity_top_k=hits), storage)
    return {"LlamaIndex auto-merging": lambda query: retriever.retrieve(_bundle(schema, embedder, query))}


def llama_index_sentence_window(library: Library, embedder: NumberEmbedder, hits: int) -> Mapping[str, Ask]:
    """A window of three leaves on either side in the metadata, put in the place of the text after the search."""
    core, schema = import_module("llama_index.core"), import_module("llama_index.core.schema")
    replaced = import_module("llama_index.core.postprocessor").MetadataReplacementPostProcessor("window")
    leaves = []
    for made in map(library.hierarchy, library.documents):
        texts = [node.text for node in made.leaves]
        nodes = {
            node.node_id: schema.TextNode(
                id_=node.node_id,
                text=node.text,
                metadata={"window": " ".join(texts[max(0, place - 3) : place + 4])},
                excluded_embed_metadata_keys=["window"],
            )
            for place, node in enumerate(made.leaves)
        }
        leaves += _embedded(made, nodes, embedder)
    index = core.VectorStoreIndex(leaves, embed_model=core.MockEmbedding(embedder.dim))
    retriever = index.as_retriever(similarity_top_k=hits)

    def ask(query: str) -> object:
        bundle = _bundle(schema, embedder, query)
        return replaced.postprocess_nodes(retriever.retrieve(bundle), bundle)

    return {"LlamaIndex sentence window": ask}


def langchain_parent_document(library: Library, embedder: NumberEmbedder, hits: int) -> Mapping[str, Ask]:
    """``ParentDocumentRetriever``, leaves as children and sections as parents."""
    documents, stores = import_module("langchain_core.documents"), import_module("langchain_core.stores")
    vectors = import_module("langchain_core.vectorstores").InMemoryVectorStore(_embeddings(embedder))
    splitter = import_module("langchain_text_splitters").CharacterTextSplitter()
    retriever = import_module("langchain_classic.retrievers").ParentDocumentRetriever(
        vectorstore=vectors, docstore=stores.InMemoryStore(), child_splitter=splitter, search_kwargs={"k": hits}
    )
    for made in map(library.hierarchy, library.documents):
        children = [documents.Document(node.text, metadata={"doc_id": node.parent_id}) for node in made.leaves]
        vectors.add_documents(children)
        retriever.docstore.mset([(node.node_id, documents.Document(node.text)) for node in made.levels[-2]])
    return {"LangChain parent document": retriever.invoke}


PEERS: dict[str, Callable[[Library, NumberEmbedder, int], Mapping[str, Ask]]] = {
    "llama_index auto-merging": llama_index_auto_merging,
    "llama_index sentence window": llama_index_sentence_window,
    "langchain_classic parent document": langchain_parent_document,
}
"""By the module that has to be there, and a name."""


def _embedded(made: Hierarchy, nodes: Mapping[str, Any], embedder: NumberEmbedder) -> list[Any]:
    leaves = [nodes[node.node_id] for node in made.leaves]
    for leaf, vector in zip(leaves, embedder.encode([leaf.text for leaf in leaves]), strict=True):
        leaf.embedding = vector.tolist()
    return leaves


def _bundle(schema: Any, embedder: NumberEmbedder, query: str) -> Any:
    return schema.QueryBundle(query, embedding=embedder.encode([query])[0].tolist())


def _embeddings(embedder: NumberEmbedder) -> Any:
    class Embeddings(import_module("langchain_core.embeddings").Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
            return embedder.encode(texts).tolist()

        def embed_query(self, text: str) -> list[float]:
            return embedder.encode([text])[0].tolist()

    return Embeddings()
