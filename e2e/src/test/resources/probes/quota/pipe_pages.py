"""fs.pipe-user-pages-soft: beyond it, each new pipe of the user holds two pages and cannot grow."""


@quota("pipe_pages", "EPERM")
class PipePages:
    LARGE = 1 << 20
    SMALLEST = 2 * os.sysconf("SC_PAGE_SIZE")

    def __init__(self):
        self.pipes = []

    def take(self):
        pipe = os.pipe()
        try:
            fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, self.LARGE)
        except PermissionError:
            if fcntl.fcntl(pipe[1], fcntl.F_GETPIPE_SZ) <= self.SMALLEST:
                os.close(pipe[0])
                os.close(pipe[1])
                raise
        self.pipes.append(pipe)

    def use(self):
        pipe = os.pipe()
        sizes = [fcntl.fcntl(end, fcntl.F_GETPIPE_SZ) for end in (pipe[1], sys.stdout.fileno())]
        os.close(pipe[0])
        os.close(pipe[1])
        return "a new pipe has {} bytes, that of the output has {}".format(*sizes)
