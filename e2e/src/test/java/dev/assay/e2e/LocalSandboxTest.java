package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.local.isolation.HostUser;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.IsolationDetection;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The probes of docs/security.md that need no cluster, against each isolation that this machine has
 * for this user. Nothing is probed without isolation.
 */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LocalSandboxTest {
  /** No container runtime adds a filter of its own. */
  private static final String SETTINGS = "FILTERS = 1\n";

  /** Only root can drop a user's groups; in the container they have no name. */
  private static final String WITHOUT_ROOT = "GROUPS |= {65534}\n";

  private static final String WITH_LANDLOCK = "LANDLOCK = True\n";

  /** A container of bubblewrap has pseudoterminals. */
  private static final String WITH_TERMINALS = "WRITABLE |= {'/dev/pts'}\n";

  @TestFactory
  Stream<DynamicTest> theSandboxHolds() throws IOException {
    List<Isolation> available = IsolationDetection.available("python3");
    return Stream.of(Isolation.NAMESPACES, Isolation.BUBBLEWRAP)
        .map(
            isolation ->
                available.contains(isolation)
                    ? DynamicTest.dynamicTest("with " + isolation, () -> assertHolds(isolation))
                    : DynamicTest.dynamicTest(
                        isolation + " is not available to this user on this machine",
                        () -> assertThat(available).doesNotContain(isolation)));
  }

  private static String settings(Isolation isolation) {
    return SETTINGS
        + (HostUser.isRoot() ? "" : WITHOUT_ROOT)
        + (isolation == Isolation.NAMESPACES ? WITH_LANDLOCK : WITH_TERMINALS);
  }

  private static void assertHolds(Isolation isolation) {
    LocalInstallation local = LocalInstallation.start(isolation);
    try (Assay assay = new Assay(local.installation(), local::close)) {
      Samples.sales(assay);
      // Another dataset of the namespace, which runs over the first must not see.
      assay.inlineDataset("survey", DatasetFormat.CSV, Samples.text("data/survey.csv"));
      Reply reply = assay.run("sales_data", SecurityPage.sandboxProgram(settings(isolation)), 300);
      Map<String, Finding> found = Finding.in(reply.text());
      assertThat(found).as(reply.text()).containsOnlyKeys(SecurityPage.sandboxProbes());
      Map<String, Finding> broken =
          found.entrySet().stream()
              .filter(entry -> !entry.getValue().verdict().equals("held"))
              .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
      assertThat(broken).isEmpty();
      assertThat(reply.isError()).isFalse();
    }
  }
}
