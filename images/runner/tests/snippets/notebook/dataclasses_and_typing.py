# dataclasses, enums, type hints, pattern matching
import dataclasses, enum, typing
class Color(enum.Enum):
    RED = 1
@dataclasses.dataclass(order=True)
class Point:
    x: int
    color: Color = Color.RED
    tags: "list[str]" = dataclasses.field(default_factory=list)
print(Point(1), Point(1) < Point(2), typing.get_type_hints(Point))
match Point(3):
    case Point(x=3, color=c):
        print("matched", c)
print(Point.__module__, __name__)
Point()
