# assert, with several lines in the traceback
def check(
    value,
    limit,
):
    assert (
        value < limit
    ), f"{value} is not below {limit}"
check(
    5,
    limit=3,
)
