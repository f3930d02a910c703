# %% [markdown]
# # A4 · Reading a query plan
#
# The appendix to [lesson 02](../02_embeddings_and_store.ipynb). You ask for the three best leaves, but only from two
# documents. Does the database search everything and throw the rest away, so that you may get fewer than three? Or does it
# look only where it may? The answer is in the **query plan**, if you can read it.
#
# The way through: [the plan](#The-plan), [filter first](#Filter-first), [takeaways](#Takeaways).
#
# ## The plan
#
# The index is that of lesson 02: the Python manual, cut into parents of at most 800 tokens and leaves of at most 200.
# `index.explain` asks LanceDB what it does with a query and a filter. Long lists are shortened here.

# %%
import re
import warnings

from hierrag_lessons import (
    MARKDOWN,
    RecursiveChunker,
    TruncationWarning,
    build_hierarchy,
    read_python_reference,
    temporary_index,
)

warnings.simplefilter("ignore", TruncationWarning)  # some leaves are longer than MiniLM reads (lesson 02)
cut = [RecursiveChunker(800, separators=MARKDOWN), RecursiveChunker(200, separators=MARKDOWN)]
opened = temporary_index(build_hierarchy(document, cut) for document in read_python_reference())
index = opened.__enter__()  # stays open until the kernel ends

QUESTION = "When is memory freed that nobody uses any more?"
only = {"doc_id": ["python/objects", "python/del"]}
plan = re.sub(r"\[[^\[\]]{70,}\]", "[…]", index.explain(QUESTION, 3, where=only))
print(re.sub(r"(uri|uuid)=[^,\s]+", r"\1=…", plan).strip())

# %% [markdown]
# A plan is a tree. A line feeds the nearest line above it that is indented less. **Lines with the same indentation are two
# children of one node.** Here `ANNSubIndex` has two:
#
# - `ANNIvfPartition` names the partitions of the vector index to open.
# - `ScalarIndexQuery` names the rows that pass the filter. It reads an index on `doc_id` for that, not the texts.
#
# `ANNSubIndex` compares the question with the vectors that both allow and keeps three. Above it, `SortExec` sorts,
# `LanceRead` reads the columns of these three rows, and `ProjectionExec` puts the columns in order.
#
# *ANN* means approximate nearest neighbours. But this index has one partition only. So every vector that passes the filter is
# compared, and the search is exact.
#
# ## Filter first
#
# The filter comes **before** the comparison. So you get three hits, if there are so many. A filter afterwards throws hits
# away. Count it:

# %%
before = index.search(QUESTION, 3, where=only)
after = [hit for hit in index.search(QUESTION, 3) if hit.node.doc_id in only["doc_id"]]
print("filter first:", len(before), "hits · filter afterwards:", len(after))

# %% [markdown]
# [Lesson 18](../18_coarse_to_fine.ipynb) is about filters and what they cost.
#
# ## Takeaways
#
# 1. A plan is read from the inside out; lines of the same depth are siblings.
# 2. Look for the place of the filter: below the comparison of vectors is where it belongs.
# 3. An index of one partition is exact, whatever its lines are called.
#
# Back: [02 · Embeddings and the store](../02_embeddings_and_store.ipynb).
