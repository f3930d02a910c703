"""What builds and checks the course: notebooks, their verifier, the tokenizer's trainer."""
