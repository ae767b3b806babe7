# Imports itself
print("as", __name__)
import main
print(main.__name__, main is __import__("__main__"))
