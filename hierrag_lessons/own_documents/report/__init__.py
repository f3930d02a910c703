"""The report on one's own documents: one HTML file that needs no network."""
