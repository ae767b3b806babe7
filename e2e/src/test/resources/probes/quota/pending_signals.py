"""RLIMIT_SIGPENDING: each timer of a process reserves a signal."""


@quota("pending_signals", "EAGAIN")
class PendingSignals:
    def take(self):
        timer = ctypes.c_void_p()
        checked(LIBC.timer_create(time.CLOCK_MONOTONIC, None, ctypes.byref(timer)))
        return timer

    def use(self):
        checked(LIBC.timer_delete(self.take()))
        return "a timer"
