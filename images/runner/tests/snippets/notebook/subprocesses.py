# Commands, their output between prints
import subprocess, sys
print("before")
subprocess.run(["printf", "from a command\\n"])
print(subprocess.run([sys.executable, "-c", "print(1 + 1)"], capture_output=True, text=True).stdout)
print(subprocess.run("exit 3", shell=True).returncode)
subprocess.run(["false"], check=True)
