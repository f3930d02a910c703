"""The manual of the meter Sentry-5, from its source to a PDF file."""
