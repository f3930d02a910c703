"""What a bug report needs, and for each thing that is wrong one sentence that mends it.

``python -m hierrag_lessons.environment`` prints it and returns 0 when all is well, 1 otherwise. A missing network and
a missing key are no problem: the course needs neither.
"""
