"""What type checkers and editors see of the front door: all public names of all rooms, and the rooms."""

from hierrag_lessons import agents as agents
from hierrag_lessons import answers as answers
from hierrag_lessons import chunkers as chunkers
from hierrag_lessons import context as context
from hierrag_lessons import contracts as contracts
from hierrag_lessons import embedding as embedding
from hierrag_lessons import evaluation as evaluation
from hierrag_lessons import exercises as exercises
from hierrag_lessons import interview as interview
from hierrag_lessons import llm as llm
from hierrag_lessons import long_work as long_work
from hierrag_lessons import model as model
from hierrag_lessons import own_documents as own_documents
from hierrag_lessons import production as production
from hierrag_lessons import propositions as propositions
from hierrag_lessons import queries as queries
from hierrag_lessons import ranking as ranking
from hierrag_lessons import reading as reading
from hierrag_lessons import retrievers as retrievers
from hierrag_lessons import showing as showing
from hierrag_lessons import spans as spans
from hierrag_lessons import store as store
from hierrag_lessons import summaries as summaries
from hierrag_lessons import text as text
from hierrag_lessons.agents import *
from hierrag_lessons.answers import *
from hierrag_lessons.chunkers import *
from hierrag_lessons.context import *
from hierrag_lessons.contracts import *
from hierrag_lessons.embedding import *
from hierrag_lessons.evaluation import *
from hierrag_lessons.exercises import *
from hierrag_lessons.interview import *
from hierrag_lessons.llm import *
from hierrag_lessons.long_work import *
from hierrag_lessons.model import *
from hierrag_lessons.own_documents import *
from hierrag_lessons.production import *
from hierrag_lessons.propositions import *
from hierrag_lessons.queries import *
from hierrag_lessons.ranking import *
from hierrag_lessons.reading import *
from hierrag_lessons.retrievers import *
from hierrag_lessons.showing import *
from hierrag_lessons.spans import *
from hierrag_lessons.store import *
from hierrag_lessons.summaries import *
from hierrag_lessons.text import *
