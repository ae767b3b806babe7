package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Subscription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CurrentFilesTest {
  @TempDir private Path folder;
  private final OneDataset datasets = new OneDataset();

  @BeforeEach
  void aFileThatWasLoaded() throws IOException {
    Files.writeString(folder.resolve("a.csv"), "a\n1\n");
    Dataset dataset =
        LocalObjects.dataset(
            "a",
            "a",
            DatasetSource.volume(DatasetFormat.CSV, null, new VolumeSource("data", "a.csv")));
    dataset.setSpec(CurrentFiles.withFile(dataset.getSpec(), folder));
    datasets.accept(dataset);
  }

  @Test
  void aFileThatIsWhatItWasIsNotLoadedAgain() {
    assertThat(files().find("runs", "a")).isPresent();
    assertThat(datasets.loads).isEqualTo(1);
  }

  @Test
  void aFileThatHasGrownIsLoadedBeforeItIsUsed() throws IOException {
    Files.writeString(folder.resolve("a.csv"), "a\n1\n2\n");
    assertThat(files().find("runs", "a")).isPresent();
    assertThat(files().find("runs", "a")).isPresent();
    assertThat(datasets.loads).isEqualTo(2);
  }

  @Test
  void aFileThatWasSavedAgainInItsLengthIsLoadedBeforeItIsUsed() throws IOException {
    Files.setLastModifiedTime(folder.resolve("a.csv"), FileTime.fromMillis(0));
    assertThat(files().read("runs", "a")).isPresent();
    assertThat(datasets.loads).isEqualTo(2);
  }

  @Test
  void aFileThatIsGoneIsLoadedOnceWhichSaysSo() throws IOException {
    Files.delete(folder.resolve("a.csv"));
    assertThat(files().find("runs", "a")).isPresent();
    assertThat(files().find("runs", "a")).isPresent();
    assertThat(datasets.loads).isEqualTo(2);
  }

  @Test
  void whatACallLoadsAgainIsAnotherLoadOfTheFileAsItIs() {
    Dataset known = datasets.only;
    var replaced = files().replace(known, known.getSpec().withLoadId("6c2a"));
    assertThat(replaced).isPresent();
    assertThat(datasets.only.getSpec().loadId()).isNotEqualTo(known.getSpec().loadId());
    assertThat(files().find("runs", "a")).isPresent();
    assertThat(datasets.loads).isEqualTo(2);
  }

  @Test
  void aDatasetThatIsNoFileIsLeftAsItIs() throws IOException {
    DatasetSpec spec = SampleData.dataset().getSpec();
    assertThat(CurrentFiles.withFile(spec, folder)).isSameAs(spec);
  }

  @Test
  void filesThatAreNoTablesAreNamed() throws IOException {
    Files.createFile(folder.resolve("notes.pdf"));
    Files.createDirectory(folder.resolve("more"));
    assertThat(files().notOffered())
        .singleElement()
        .asString()
        .startsWith("more/, notes.pdf: only files directly in the folder are offered");
  }

  private CurrentFiles files() {
    return new CurrentFiles(datasets, folder);
  }

  /** Loads whatever it is given at once. */
  private static final class OneDataset implements DatasetGateway {
    private Dataset only = new Dataset();
    private int loads;

    void accept(Dataset dataset) {
      loads++;
      dataset.getMetadata().setGeneration((long) loads);
      dataset.setStatus(
          DatasetStatusBuilder.builder()
              .phase(DatasetPhase.Failed)
              .observedGeneration((long) loads)
              .build());
      only = dataset;
    }

    @Override
    public Subscription<Dataset> follow(String namespace, String name) {
      Subscription<Dataset> subscription = new Subscription<>(() -> {});
      subscription.publish(new Change<>(only, false));
      return subscription;
    }

    @Override
    public Optional<Dataset> find(String namespace, String name) {
      return Optional.of(only);
    }

    @Override
    public Optional<Dataset> read(String namespace, String name) {
      return Optional.of(only);
    }

    @Override
    public List<Dataset> list(String namespace) {
      return List.of(only);
    }

    @Override
    public Optional<Dataset> create(Dataset dataset) {
      throw new AssertionError("nothing is created");
    }

    @Override
    public Optional<Dataset> replace(Dataset read, DatasetSpec spec) {
      Dataset changed = new Dataset();
      changed.setMetadata(read.getMetadata());
      changed.setSpec(spec);
      accept(changed);
      return Optional.of(changed);
    }

    @Override
    public boolean delete(Dataset read) {
      throw new AssertionError("nothing is deleted");
    }
  }
}
