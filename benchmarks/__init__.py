"""Measurements of speed, scale and quality; results are written as JSON and quoted from there."""
