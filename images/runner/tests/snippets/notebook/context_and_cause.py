# Causes, contexts, groups and notes
def load():
    try:
        return {}["key"]
    except KeyError as error:
        error.add_note("while loading")
        raise RuntimeError("no data") from error
try:
    load()
except RuntimeError as error:
    raise ExceptionGroup("several", [error, ValueError("other")])
