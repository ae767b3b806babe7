# Prints in an exit handler of C that it has registered itself
# Why: The end of the process is not waited for once Python has ended, unless the code has loaded a library or left files.
import ctypes

libc = ctypes.CDLL(None)
line = ctypes.create_string_buffer(b"at the exit")
ctypes.pythonapi.Py_IncRef(ctypes.py_object(line))
libc.__cxa_atexit(libc.puts, line, None)
libc.__cxa_atexit(libc.sleep, ctypes.c_void_p(1), None)
