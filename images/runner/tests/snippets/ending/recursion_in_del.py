# __del__ that recurses and brings objects back
class Phoenix:
    def __init__(self, n):
        self.n = n
    def __del__(self):
        if self.n < 50:
            Phoenix(self.n + 1)
        else:
            def deep():
                deep()
            try:
                deep()
            except RecursionError as error:
                print("caught", type(error).__name__)
Phoenix(0)
print("end")
