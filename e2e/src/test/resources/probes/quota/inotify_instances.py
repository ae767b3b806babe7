"""fs.inotify.max_user_instances."""


@quota("inotify_instances", "EMFILE")
class InotifyInstances:
    def take(self):
        return checked(LIBC.inotify_init1(os.O_CLOEXEC))

    def use(self):
        os.close(self.take())
        return "an instance"
