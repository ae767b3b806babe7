# functools, contextmanager, timeit
import contextlib, functools, timeit
@functools.lru_cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@contextlib.contextmanager
def step(name):
    print("begin", name)
    yield
    print("end", name)
with step("sum"):
    print(fib(80), timeit.timeit("pass", number=1) < 5, fib.cache_info().misses)
with step("fails"):
    fib("x")
