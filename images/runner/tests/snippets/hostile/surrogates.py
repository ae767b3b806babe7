# Text that is not valid Unicode
text = b"caf\xe9".decode("utf-8", "surrogateescape")
print(ascii(text))
open("f", "w", errors="surrogateescape").write(text)
print(open("f", "rb").read())
