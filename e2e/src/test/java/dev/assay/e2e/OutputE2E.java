package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Output is returned complete, in order, and as valid text. */
@Everywhere
class OutputE2E {
  /** The call that a shortened reply names. */
  private static final Pattern REST =
      Pattern.compile("get_run\\(name=\"([^\"]+)\", offset=([0-9]+)\\)");

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void tenThousandLinesComeBackWhole(Assay assay) {
    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "dataset_name",
                "sales_data",
                "python_code",
                "for n in range(10_000): print(f'line {n}')",
                "max_tokens",
                100_000));
    String expected =
        IntStream.range(0, 10_000).mapToObj(n -> "line " + n + "\n").collect(Collectors.joining());
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text()).isEqualTo(expected);
  }

  @Test
  void longOutputIsShortenedAndReadOnPartByPart(Assay assay) {
    Reply first = assay.run("sales_data", "for n in range(10_000): print(f'line {n}')");
    assertThat(first.text()).startsWith("line 0\nline 1\n").endsWith("\nline 9998\nline 9999\n");
    StringBuilder text = new StringBuilder(first.text().substring(0, first.text().indexOf('[')));
    Matcher rest = REST.matcher(first.text());
    while (rest.find()) {
      Reply part =
          assay.call(
              "get_run", Map.of("name", rest.group(1), "offset", Integer.parseInt(rest.group(2))));
      text.append(part.text(), 0, part.text().lastIndexOf("[bytes "));
      rest = REST.matcher(part.text());
    }
    assertThat(text.toString())
        .isEqualTo(
            IntStream.range(0, 10_000)
                .mapToObj(n -> "line " + n + "\n")
                .collect(Collectors.joining()));
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
