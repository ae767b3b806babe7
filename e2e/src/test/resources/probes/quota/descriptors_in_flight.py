"""RLIMIT_NOFILE for descriptors that were sent and not received yet, over all processes."""


@quota("descriptors_in_flight", "ETOOMANYREFS")
class DescriptorsInFlight:
    AT_ONCE = 253

    def __init__(self):
        self.pairs = []

    def take(self):
        if not self.pairs:
            self._add_pair()
        try:
            socket.send_fds(self.pairs[-1][0], [b"x"], [2] * self.AT_ONCE)
        except BlockingIOError:
            self._add_pair()

    def _add_pair(self):
        pair = socket.socketpair()
        pair[0].setblocking(False)
        self.pairs.append(pair)

    def use(self):
        sender, receiver = socket.socketpair()
        with sender, receiver:
            socket.send_fds(sender, [b"x"], [0])
            _, received, _, _ = socket.recv_fds(receiver, 1, 1)
        for descriptor in received:
            os.close(descriptor)
        return f"{len(received)} received"
