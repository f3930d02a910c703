"""Print the report."""

import sys

from hierrag_lessons.environment.examination import main

sys.exit(main())
