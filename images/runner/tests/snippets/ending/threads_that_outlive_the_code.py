# The end waits for threads, but not for daemons
import threading, time
def late():
    time.sleep(0.2)
    print("late")
threading.Thread(target=late).start()
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("end of the code")
