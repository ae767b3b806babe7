def figure():
    return "no figure"
