"""Tables with every trap, made by chance from a seed, and whether each of their cells is kept."""
