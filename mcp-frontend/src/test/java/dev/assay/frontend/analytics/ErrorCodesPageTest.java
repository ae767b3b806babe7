package dev.assay.frontend.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Keeps the table of error codes in docs/analytics.md equal to {@link ErrorCode}.
 *
 * <p>After a change of it: {@code ./mvnw -pl mcp-frontend -am test -Dfrontend.write}.
 */
class ErrorCodesPageTest {
  private static final Path PAGE = Path.of("../docs/analytics.md");
  private static final String HEAD = "| code | category | meaning | what to do |\n";

  @Test
  void thePageHasEveryCodeAsTheEnumDescribesIt() throws IOException {
    String page = Files.readString(PAGE);
    Matcher table = Pattern.compile("(?m)^" + Pattern.quote(HEAD) + "(?:\\|.*\\n)*").matcher(page);
    assertThat(table.find()).as("a table of error codes in %s", PAGE).isTrue();
    String generated = table.replaceFirst(Matcher.quoteReplacement(table()));
    if (System.getProperty("frontend.write") != null) {
      Files.writeString(PAGE, generated);
      page = generated;
    }
    assertThat(page).isEqualTo(generated);
  }

  private static String table() {
    return Arrays.stream(ErrorCode.values())
        .map(
            code ->
                "| %d | %s | %s | %s |%n"
                    .formatted(code.code(), code.category(), code.meaning(), code.advice()))
        .collect(Collectors.joining("", HEAD + "|---|---|---|---|\n", ""));
  }
}
