package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever code raises, the text in Kubernetes objects is short and safe for a terminal. */
@Full
class HostileTextE2E {
  /** Characters that move the cursor, ring the bell, end a text early or reverse its direction. */
  private static final Pattern UNFIT =
      Pattern.compile("[\\p{Cc}\\p{Cs}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}&&[^\\n\\t]]");

  /** Characters. */
  private static final int MAX_EVENT = 1024;

  private static final int MAX_STATUS = 64 * 1024;
  private static final int MAX_DESCRIPTION = 128 * 1024;
  private static final String CHARACTERS =
      """
      HOSTILE = "".join(map(chr, range(32)))
      HOSTILE += "\\x7f\\x80\\x9b31m \\u200e\\u202e\\u2066 \\n\\nPhase: Succeeded"
      """;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          a message                | raise ValueError(HOSTILE)
          a message without words  | raise ValueError('\\x1b\\x07\\x00')
          a type                   | raise type('E' + HOSTILE.replace('\\0', ''), (Exception,), {})('x')
          an exit                  | raise SystemExit(HOSTILE)
          a note                   | e = ValueError('x'); e.add_note(HOSTILE); raise e
          a file in the traceback  | exec(compile('1/0', HOSTILE.replace('\\0', ''), 'exec'))
          a key                    | raise KeyError(HOSTILE)
          output as well           | print(HOSTILE); raise ValueError(HOSTILE)
          a megabyte               | raise ValueError(HOSTILE * 20_000)
          surrogates               | raise ValueError('\\ud800 \\udfff' + HOSTILE)
          text that raises         | raise type('E', (Exception,), {'__str__': lambda self: 1/0})()
          text that is no text     | raise type('E', (Exception,), {'__str__': lambda self: HOSTILE.encode()})()
          """)
  void whatIsRaisedIsShownWithoutHarm(String what, String statement, Assay assay)
      throws JsonProcessingException {
    assertShownWithoutHarm(assay, statement, 30);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          a text that never comes  | raise type('E', (Exception,), {'__str__': hang})()
          a text of a type as well | raise type('E', (Exception,), {'__str__': hang, '__repr__': hang})()
          """)
  void whatTakesForEverIsEndedAtTheLimit(String what, String statement, Assay assay)
      throws JsonProcessingException {
    assertShownWithoutHarm(assay, "\ndef hang(self):\n    while True: pass\n" + statement, 5);
  }

  private static void assertShownWithoutHarm(Assay assay, String statement, int timeLimit)
      throws JsonProcessingException {
    Runs runs = new Runs(assay);
    AnalyticsRun run = runs.create("python", CHARACTERS + statement, timeLimit);
    String name = run.getMetadata().getName();
    assertThat(runs.awaitEnd(run).phase()).isIn(RunPhase.Failed, RunPhase.TimedOut);

    JsonNode status =
        Rest.JSON.readTree(assay.kubectl("get", "arun", name, "-o", "json")).path("status");
    assertFit("status", withoutOutput(status));
    assertThat(status.toString().length()).isLessThan(MAX_STATUS);
    awaitEvent(assay, run);
    JsonNode events =
        Rest.JSON.readTree(
            assay.kubectl(
                "get",
                "events",
                "--field-selector=involvedObject.uid=" + run.getMetadata().getUid(),
                "-o",
                "json"));
    for (JsonNode event : events.path("items")) {
      assertFit("Event", event.path("reason"));
      assertFit("Event", event.path("message"));
      assertThat(event.path("message").asText()).hasSizeLessThanOrEqualTo(MAX_EVENT);
    }
    String described = assay.kubectl("describe", "arun", name);
    assertThat(described).contains("Events:").hasSizeLessThan(MAX_DESCRIPTION);
    // Carriage returns may be in the output, which is a part of it.
    assertFit("description", described.replace("\r", ""));
    runs.delete(run);
  }

  private static JsonNode withoutOutput(JsonNode status) {
    ObjectNode others = status.deepCopy();
    others.withObject("/result").remove(List.of("output", "outputTail"));
    return others;
  }

  private static void awaitEvent(Assay assay, AnalyticsRun run) {
    assay
        .kubernetes()
        .v1()
        .events()
        .inNamespace(assay.namespace())
        .withField("involvedObject.uid", run.getMetadata().getUid())
        .informOnCondition(
            found -> found.stream().anyMatch(event -> event.getType().equals("Warning")))
        .orTimeout(1, TimeUnit.MINUTES)
        .join();
  }

  private static void assertFit(String where, JsonNode node) {
    if (node.isTextual()) {
      assertFit(where, node.asText());
    }
    for (JsonNode element : node) {
      assertFit(where, element);
    }
  }

  private static void assertFit(String where, String text) {
    assertThat(
            UNFIT
                .matcher(text)
                .results()
                .map(found -> "%s: U+%04X".formatted(where, found.group().codePointAt(0)))
                .distinct())
        .isEmpty();
  }
}
