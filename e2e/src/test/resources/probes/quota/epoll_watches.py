"""fs.epoll.max_user_watches: descriptors that epoll watches, over all processes."""


@quota("epoll_watches", "ENOSPC")
class EpollWatches:
    WATCHED = 16_000

    def __init__(self):
        self.watched = []
        self.polls = []
        self.next = self.WATCHED

    def take(self):
        if not self.watched:
            first = os.eventfd(0)
            self.watched = [first] + [os.dup(first) for _ in range(self.WATCHED - 1)]
        if self.next == self.WATCHED:
            self.polls.append(select.epoll())
            self.next = 0
        register = self.polls[-1].register
        for position in range(self.next, self.WATCHED):
            self.next = position
            register(self.watched[position], 0)
        self.next = self.WATCHED

    def use(self):
        readable, writable = os.pipe()
        with select.epoll() as poll:
            poll.register(readable, select.EPOLLIN)
            os.write(writable, b"x")
            found = poll.poll(10)
        os.close(readable)
        os.close(writable)
        return f"{len(found)} readable"
