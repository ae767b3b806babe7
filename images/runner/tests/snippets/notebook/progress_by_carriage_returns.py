# A progress bar with carriage returns
import sys, time
for i in range(5):
    print(f"\r{i * 25}%", end="", flush=True)
    sys.stderr.write(".")
print()
sys.stdout.writelines(["a\n", "b\n"])
print(sys.stdout.write("written "), sys.stdout.flush(), sys.stdout.isatty(), sys.stdout.fileno())
