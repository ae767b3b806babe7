package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
      generated = EnumTable.replaceIn(generated, type);
    }
    if (System.getProperty("crds.write") != null) {
      Files.writeString(PAGE, generated);
      page = generated;
    }
    assertThat(page).isEqualTo(generated);
  }
}
