# logging, in its place between prints
import logging, sys
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(filename)s:%(lineno)d %(message)s")
print("one")
logging.info("two")
print("three", file=sys.stderr)
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("four")
print("five")
