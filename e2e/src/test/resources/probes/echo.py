"""Answers every TCP connection and every UDP packet on PORT with one line."""

import socketserver
import threading

PORT = 7070


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"neighbour\n")


class Packet(socketserver.BaseRequestHandler):
    def handle(self):
        self.request[1].sendto(b"neighbour\n", self.client_address)


packets = socketserver.ThreadingUDPServer(("0.0.0.0", PORT), Packet)
connections = socketserver.ThreadingTCPServer(("0.0.0.0", PORT), Connection)
threading.Thread(target=packets.serve_forever, daemon=True).start()
connections.serve_forever()
