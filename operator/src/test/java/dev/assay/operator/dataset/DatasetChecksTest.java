package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSourceBuilder;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.SourceVolume;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DatasetChecksTest {
  private static final RunNamespace NAMESPACE =
      new RunNamespace(
          Samples.NAMESPACE,
          "snapshots",
          List.of(new SourceVolume("lake", "lake-claim", null)),
          null);
  private static final RunClass SNAPSHOT = Samples.runClass(Samples.classSpec(Purpose.Snapshot));

  @Test
  void inlineTextAndADeclaredVolumeAreTaken() {
    assertThat(refusal(Samples.inline("a\n1\n"), SNAPSHOT)).isEmpty();
    assertThat(refusal(volume("lake"), SNAPSHOT)).isEmpty();
  }

  @Test
  void aVolumeThatIsNotDeclaredIsRefusedWithTheNamesOfThoseThatAre() {
    assertThat(refusal(volume("ocean"), SNAPSHOT))
        .contains("No volume 'ocean' is declared for this namespace; the declared ones are: lake");
    Optional<String> nothingDeclared =
        DatasetChecks.refusal(
            Samples.dataset(volume("lake"), null),
            new RunNamespace(Samples.NAMESPACE, "snapshots", null, null),
            SNAPSHOT);
    assertThat(nothingDeclared)
        .contains("No volume 'lake' is declared for this namespace; none is");
  }

  @Test
  void aMissingAForbiddenAndAWrongPurposedClassGetTheSameAnswer() {
    DatasetSource source = Samples.inline("a");
    Optional<String> missing = refusal(source, null);
    assertThat(missing).isPresent();
    assertThat(refusal(source, Samples.runClass(Samples.classSpec(Purpose.Run))))
        .isEqualTo(missing);
    assertThat(
            refusal(
                source,
                Samples.runClass(Samples.classSpec(Purpose.Snapshot, List.of("team-b"), null))))
        .isEqualTo(missing);
  }

  @Test
  void aSourceThatIsNeitherIsRefused() {
    assertThat(refusal(DatasetSourceBuilder.builder().format(DatasetFormat.CSV).build(), SNAPSHOT))
        .isPresent();
  }

  @Test
  void anUploadIsAsLongAsItsClassAllows() {
    long max = SNAPSHOT.getSpec().sourceLimits().maxBytes();
    assertThat(refusal(upload(max), SNAPSHOT)).isEmpty();
    assertThat(refusal(upload(max + 1), SNAPSHOT))
        .get()
        .asString()
        .contains("to " + max + " bytes");
  }

  private static DatasetSource upload(long bytes) {
    return DatasetSource.upload(DatasetFormat.CSV, null, new UploadSource("u1", bytes));
  }

  private static Optional<String> refusal(DatasetSource source, @Nullable RunClass runClass) {
    return DatasetChecks.refusal(Samples.dataset(source, null), NAMESPACE, runClass);
  }

  private static DatasetSource volume(String name) {
    return DatasetSource.volume(DatasetFormat.CSV, null, new VolumeSource(name, "2024.csv"));
  }
}
