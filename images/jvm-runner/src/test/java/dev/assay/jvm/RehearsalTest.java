package dev.assay.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.engine.Surroundings;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class RehearsalTest {
  @TempDir Path directory;

  @Test
  void theQueryThatIsRehearsedSucceedsAndNothingOfItIsLeft() throws Exception {
    Surroundings surroundings = new TestEngine(directory).surroundings();
    Path scratch = surroundings.scratch();
    try (Rehearsal rehearsal = Rehearsal.in(scratch, surroundings.python())) {
      assertThat(scratch).isDirectoryContaining("glob:**/.rehearsal*");
      assertThat(rehearsal.succeeds(Rehearsal.QUERY)).isTrue();
    }
    Rehearsal.run(surroundings);
    assertThat(scratch).isDirectoryNotContaining("glob:**/.rehearsal*");
  }
}
