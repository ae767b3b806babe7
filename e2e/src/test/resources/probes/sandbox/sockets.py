"""Sockets other than AF_INET and AF_INET6, which network.py covers."""


def socket_refused(family, kind, protocol=0):
    def make():
        socket.socket(family, kind, protocol).close()

    found = refused(make)
    require(found == "EACCES", f"family {family}: {found} is not the filter's answer")
    return found


@probe("raw-socket")
def _():
    return ", ".join(
        socket_refused(family, socket.SOCK_RAW, protocol)
        for family in (socket.AF_INET, socket.AF_INET6)
        for protocol in (socket.IPPROTO_ICMP, socket.IPPROTO_TCP, socket.IPPROTO_RAW)
    )


@probe("packet-socket")
def _():
    return socket_refused(17, socket.SOCK_RAW, socket.htons(3))


@probe("netlink-socket")
def _():
    return ", ".join(socket_refused(16, socket.SOCK_RAW, protocol) for protocol in (0, 4, 9, 12))


@probe("vsock-socket")
def _():
    return socket_refused(40, socket.SOCK_STREAM)


@probe("every-other-socket-family")
def _():
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    for family in set(range(48)) - {socket.AF_UNIX}:
        for kind in kinds:
            socket_refused(family, kind)
    return f"47 families, {len(kinds)} types"


@probe("socket-pair")
def _():
    return refused(socket.socketpair, socket.AF_INET, socket.SOCK_STREAM)
