# An error that a process of a pool raises
import multiprocessing
def fail(x):
    raise ValueError(f"bad {x}")
with multiprocessing.get_context("fork").Pool(1) as pool:
    try:
        pool.map(fail, [1])
    except ValueError as error:
        print(error)
    print(pool.apply(len, ([1, 2],)))
