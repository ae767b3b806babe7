class StatisticsError(ValueError):
    pass


def mean(values):
    return "mean of", list(values)
