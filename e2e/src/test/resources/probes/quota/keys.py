"""kernel.keys.maxkeys: the filter refuses to add any key."""


@quota("keys", "EPERM", "EACCES", "ENOSYS")
class Keys:
    ADD_KEY = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    USER_KEYRING = -4

    def take(self):
        checked(
            LIBC.syscall(
                ctypes.c_long(self.ADD_KEY),
                b"user",
                b"assay",
                b"value",
                ctypes.c_size_t(5),
                ctypes.c_long(self.USER_KEYRING),
            )
        )
        raise AssertionError("a key was added")

    def use(self):
        try:
            self.take()
        except OSError as refusal:
            return errno.errorcode[refusal.errno]
