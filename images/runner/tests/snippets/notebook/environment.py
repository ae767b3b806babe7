# The surroundings: locale, encoding, time zone, arguments
import locale, os, sys, time
print(sys.getdefaultencoding(), sys.getfilesystemencoding(), locale.getpreferredencoding(False))
print(time.strftime("%Z"), locale.setlocale(locale.LC_CTYPE), os.environ.get("PYTHONPATH"))
print(sys.stdin.read() == "", sys.path[0] == os.getcwd() or sys.path[0], len(sys.argv))
print(open("a", "w").encoding, open("a").encoding)
