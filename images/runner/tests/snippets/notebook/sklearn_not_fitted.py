# An error of scikit-learn, with its own frames
from sklearn.linear_model import LinearRegression
LinearRegression().predict([[1]])
