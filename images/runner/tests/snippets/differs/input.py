# Asks for input
# Why: Nobody is there to answer: the error says what to do instead.
name = input("name? ")
