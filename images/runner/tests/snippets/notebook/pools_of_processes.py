# multiprocessing, concurrent.futures and joblib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from joblib import Parallel, delayed
def double(x):
    return 2 * x
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(double, range(3)))
    with ThreadPoolExecutor(2) as threads:
        print(list(threads.map(double, range(3))))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as spawned:
        print(list(spawned.map(double, range(3))))
    print(Parallel(2, prefer="threads")(delayed(double)(x) for x in range(3)))
