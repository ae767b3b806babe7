package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Output is returned complete, in order, and as valid text. */
@Everywhere
class OutputE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void tenThousandLinesComeBackWhole(Assay assay) {
    Reply reply = assay.run("sales_data", "for n in range(10_000): print(f'line {n}')");
    String expected =
        IntStream.range(0, 10_000).mapToObj(n -> "line " + n + "\n").collect(Collectors.joining());
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text()).isEqualTo(expected);
  }

  @Test
  void outputPastTheLimitIsCutAndSaidToBeCut(Assay assay) {
    Reply reply =
        assay.run("sales_data", "for n in range(50_000): print(f'{n:06d}', 'x' * 92)", 60);
    assertThat(reply.isError()).isFalse();
    assertThat(reply.text()).startsWith("000000 xxx").containsIgnoringCase("truncated");
    assertThat(reply.text().length()).isLessThanOrEqualTo(1_048_576 + 4_096);
  }

  @Test
  void binaryOutputBecomesText(Assay assay) {
    String code =
        """
        import sys
        print('before', flush=True)
        sys.stdout.buffer.write(bytes(range(256)) + b'\\n')
        sys.stdout.flush()
        print('after')
        """;
    Reply reply = assay.run("sales_data", code);
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text()).startsWith("before\n").endsWith("\nafter\n").contains("ABC", "\ufffd");
  }

  @Test
  void standardErrorAndOutputKeepTheirOrder(Assay assay) {
    String code =
        """
        import sys
        for n in range(3):
            print('out', n)
            print('err', n, file=sys.stderr)
        """;
    assertThat(assay.run("sales_data", code).text())
        .isEqualTo("out 0\nerr 0\nout 1\nerr 1\nout 2\nerr 2\n");
  }

  @Test
  void outputBeforeAnErrorIsKept(Assay assay) {
    Reply reply = assay.run("sales_data", "print('got this far')\n1/0");
    assertThat(reply.text())
        .startsWith("got this far\nERROR: ZeroDivisionError: division by zero\nTraceback:\n");
  }

  @Test
  void aSyntaxErrorIsAnErrorOfTheCode(Assay assay) {
    Reply reply = assay.run("sales_data", "print('a')\nfor for\n");
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).startsWith("ERROR: SyntaxError:").contains("line 2");
  }

  @Test
  void textOfAllScriptsSurvives(Assay assay) {
    String text = "Grüße, 世界, \uD83D\uDE80, \u0645\u0631\u062D\u0628\u0627";
    assertThat(assay.run("sales_data", "print('" + text + "')").text()).isEqualTo(text + "\n");
  }
}
