package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Keeps the tables in docs/reasons.md equal to the enums.
 *
 * <p>After a change of an enum: {@code ./mvnw -pl crds test -Dcrds.write}.
 */
class ReasonsPageTest {
  private static final Path PAGE = Path.of("../docs/reasons.md");
  private static final List<Class<? extends Enum<?>>> ENUMS =
      List.of(RunPhase.class, RunReason.class, PayloadStarted.class, DatasetPhase.class);

  @Test
  void thePageHasEveryPhaseAndReasonAsItsEnumDescribesIt() throws IOException {
    String page = Files.readString(PAGE);
    String generated = page;
    for (Class<? extends Enum<?>> type : ENUMS) {
      generated = withTable(generated, type);
    }
    if (System.getProperty("crds.write") != null) {
      Files.writeString(PAGE, generated);
      page = generated;
    }
    assertThat(page).isEqualTo(generated);
  }

  private static String withTable(String page, Class<? extends Enum<?>> type) {
    Matcher table =
        Pattern.compile("(?m)^\\| " + type.getSimpleName() + " \\|.*\\n(?:\\|.*\\n)*")
            .matcher(page);
    assertThat(table.find()).as("a table of %s in %s", type.getSimpleName(), PAGE).isTrue();
    return table.replaceFirst(Matcher.quoteReplacement(EnumTable.of(type)));
  }
}
