package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PythonTracebackTest {
  private static final String LIBRARIES = "/opt/assay/lib/python3.13/site-packages/";

  private static String shortened(String traceback) {
    return PythonTraceback.shortened(traceback.stripTrailing().replace("LIBRARIES/", LIBRARIES));
  }

  @Test
  void framesOfLibrariesAreCounted() {
    assertThat(
            shortened(
                """
                Traceback (most recent call last):
                  File "main.py", line 1, in <module>
                    df.apply(work)
                    ~~~~~~~~^^^^^^
                  File "LIBRARIES/pandas/core/frame.py", line 9, in apply
                    return op.apply()
                           ^^^^^^^^^^
                  File "pandas/_libs/lib.pyx", line 7, in pandas._libs.lib.map
                  File "LIBRARIES/numpy/lib.py", line 9, in vectorize
                  File "main.py", line 5, in work
                    return 1 / 0
                           ~~^~~
                ZeroDivisionError: division by zero
                """))
        .isEqualTo(
            """
            Traceback (most recent call last):
              File "main.py", line 1, in <module>
                df.apply(work)
                ~~~~~~~~^^^^^^
              [3 frames in pandas, numpy]
              File "main.py", line 5, in work
                return 1 / 0
                       ~~^~~
            ZeroDivisionError: division by zero\
            """);
  }

  @Test
  void anExceptionThatNeverLeftALibraryIsOmittedWhereTheNextSaysTheSame() {
    assertThat(
            shortened(
                """
                Traceback (most recent call last):
                  File "LIBRARIES/pandas/core/indexes/base.py", line 3641, in get_loc
                    return self._engine.get_loc(casted_key)
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
                  File "pandas/_libs/index.pyx", line 168, in pandas._libs.index.get_loc
                KeyError: 'x'

                The above exception was the direct cause of the following exception:

                Traceback (most recent call last):
                  File "main.py", line 2, in <module>
                    df['x']
                    ~~^^^^^
                  File "LIBRARIES/pandas/core/frame.py", line 4378, in __getitem__
                    indexer = self.columns.get_loc(key)
                KeyError: 'x'
                """))
        .isEqualTo(
            """
            Traceback (most recent call last):
              File "main.py", line 2, in <module>
                df['x']
                ~~^^^^^
              [1 frame in pandas]
            KeyError: 'x'\
            """);
  }

  @Test
  void anExceptionThatNeverLeftALibraryHasItsMessageWhereTheNextHasAnother() {
    assertThat(
            shortened(
                """
                Traceback (most recent call last):
                  File "LIBRARIES/tables/model.py", line 1, in load
                    settings["seed"]
                KeyError: 'seed'

                During handling of the above exception, another exception occurred:

                Traceback (most recent call last):
                  File "main.py", line 2, in <module>
                    load()
                  File "LIBRARIES/tables/model.py", line 3, in load
                    raise ValueError("no model")
                ValueError: no model
                """))
        .isEqualTo(
            """
            KeyError: 'seed'

            During handling of the above exception, another exception occurred:

            Traceback (most recent call last):
              File "main.py", line 2, in <module>
                load()
              [1 frame in tables]
            ValueError: no model\
            """);
  }

  @Test
  void theFramesAfterWhatWasLeftOutAreShortenedToo() {
    assertThat(
            shortened(
                """
                Traceback (most recent call last):
                  File "LIBRARIES/a/b.py", line 1, in one
                    two()
                ... 12000 or more bytes left out ...
                RIES/a/b.py", line 2, in three
                    four()
                  File "LIBRARIES/a/b.py", line 3, in four
                    five()
                  File "main.py", line 9, in five
                    1 / 0
                ZeroDivisionError: division by zero
                """))
        .isEqualTo(
            """
            Traceback (most recent call last):
              [1 frame in a]
            ... 12000 or more bytes left out ...
              [1 frame in a]
              File "main.py", line 9, in five
                1 / 0
            ZeroDivisionError: division by zero\
            """);
  }

  @Test
  void aMessageAfterWhatWasLeftOutStays() {
    String traceback =
        """
        Traceback (most recent call last):
          File "main.py", line 1, in <module>
            f(
        ... 12000 or more bytes left out ...
        the end of a message\
        """;
    assertThat(shortened(traceback)).isEqualTo(traceback);
  }

  @Test
  void anExceptionThatTheCodeHandledStays() {
    String traceback =
        """
        Traceback (most recent call last):
          File "main.py", line 2, in <module>
            int("a")
        ValueError: invalid literal for int() with base 10: 'a'

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "main.py", line 4, in <module>
            raise RuntimeError("no number") from None
        RuntimeError: no number\
        """;
    assertThat(shortened(traceback)).isEqualTo(traceback);
  }

  @Test
  void theLastExceptionStaysThoughAllItsFramesAreOfLibraries() {
    assertThat(
            shortened(
                """
                Traceback (most recent call last):
                  File "/usr/lib/python3.13/threading.py", line 1, in run
                  File "<frozen importlib._bootstrap>", line 1, in load
                  File "LIBRARIES/a/b.py", line 1, in c
                  File "LIBRARIES/one.py", line 1, in c
                ValueError: two
                lines
                """))
        .isEqualTo(
            """
            Traceback (most recent call last):
              [4 frames in threading, importlib, a, …]
            ValueError: two
            lines\
            """);
  }

  @Test
  void repeatsBelongToTheFrameBeforeThem() {
    assertThat(
            shortened(
                """
                Traceback (most recent call last):
                  File "main.py", line 2, in f
                    f()
                  [Previous line repeated 990 more times]
                  File "LIBRARIES/a/b.py", line 1, in c
                    c()
                  [Previous line repeated 3 more times]
                RecursionError: maximum recursion depth exceeded
                """))
        .isEqualTo(
            """
            Traceback (most recent call last):
              File "main.py", line 2, in f
                f()
              [Previous line repeated 990 more times]
              [1 frame in a]
            RecursionError: maximum recursion depth exceeded\
            """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Trace",
        "Error: no\n    at script:1:7",
        "  + Exception Group Traceback (most recent call last):\n"
            + "  |   File \"/usr/lib/python3.13/asyncio/runners.py\", line 1, in run\n"
            + "  | ExceptionGroup: two (2 sub-exceptions)",
        "  File \"main.py\", line 2\n    for for\n        ^^^\nSyntaxError: invalid syntax",
        "Traceback (most recent call last):\n  File \"helper/module.py\", line 1, in f\nValueError: x",
        "Traceback (most recent call last):\n"
            + "  File \"main.py\", line 1, in <module>\n"
            + "ValueError:   File \"/usr/lib/python3.13/a.py\", line 1, in f\n"
            + "  File \"/usr/lib/python3.13/a.py\", line 1, in f",
      })
  void everythingElseStaysAsItIs(String text) {
    assertThat(PythonTraceback.shortened(text)).isEqualTo(text);
  }

  @Test
  void emptyTextStaysEmpty() {
    assertThat(PythonTraceback.shortened("")).isEmpty();
  }
}
