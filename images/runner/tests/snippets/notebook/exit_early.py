# exit() in the middle
print("before")
exit()
print("never")
