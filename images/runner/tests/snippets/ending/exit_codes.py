# An exit code over 255
import sys
sys.exit(256 + 7)
