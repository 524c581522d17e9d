"""Physics: the model builder, the engines and the contacts between robot and terrain."""
