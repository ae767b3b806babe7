# Opens a connection
# Why: Code has no network, so that data cannot leave: the error says so instead of naming a refused connection.
import urllib.request
urllib.request.urlopen("http://127.0.0.1:9")
