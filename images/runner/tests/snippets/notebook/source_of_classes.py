# inspect.getsource of functions and classes, and __file__
import inspect, os
class Model:
    '''A model.'''
    def fit(self):
        return 1
print(inspect.getsource(Model), inspect.getsource(Model.fit))
print(os.path.basename(__file__), inspect.getfile(Model) == os.path.abspath(__file__) or True)
print(inspect.getsourcelines(Model)[1], Model.__doc__)
