"""RLIMIT_MSGQUEUE: bytes in POSIX message queues, over all IPC namespaces."""


@quota("message_queues", "EMFILE", "ENOSPC")
class MessageQueues:
    def __init__(self):
        self.names = 0

    def take(self):
        self.names += 1
        name = f"/assay-{os.getpid()}-{self.names}".encode()
        queue = checked(LIBC.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None))
        checked(LIBC.mq_unlink(name))
        return queue

    def use(self):
        os.close(self.take())
        return "a queue"
