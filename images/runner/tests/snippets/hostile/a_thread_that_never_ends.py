# A daemon thread that never ends, and one that writes until the end
import sys, threading, time
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
print("end")
sys.exit(2)
