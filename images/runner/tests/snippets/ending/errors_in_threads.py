# Errors in threads are printed, and are not the end
import threading
def fail():
    raise ValueError("in a thread")
thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()
print("on")
