"""Runs every probe that was registered."""


def main():
    for name, attempt in PROBES.items():
        if name in LEFT_OUT:
            continue
        try:
            line = f"{name}\theld\t{attempt()}"
        except BrokenError as broken:
            line = f"{name}\tbroken\t{broken}"
        except Exception as error:
            line = f"{name}\tbroken\tthe probe itself failed: {error!r}"
        print(line, flush=True)


main()
