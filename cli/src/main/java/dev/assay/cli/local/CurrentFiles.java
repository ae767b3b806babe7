package dev.assay.cli.local;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Stopwatch;
import dev.assay.frontend.watch.Subscription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Loads files of a folder again that have changed, before a call uses them: an answer of what a
 * file held before would be wrong without a word.
 *
 * <p>What a file was when it was loaded is in the load id of its dataset: its size and the time of
 * its last change.
 */
final class CurrentFiles implements DatasetGateway {
  private static final Duration LOADING = Duration.ofSeconds(50);
  private static final String SEPARATOR = "/";

  private final DatasetGateway datasets;
  private final Path folder;

  /**
   * Datasets of which some are files.
   *
   * @param datasets all
   * @param folder where the files of the volume {@link LocalObjects#DATA} are
   */
  CurrentFiles(DatasetGateway datasets, Path folder) {
    this.datasets = datasets;
    this.folder = folder;
  }

  /** A spec that says what its file is now; the same spec if it is about no file. */
  static DatasetSpec withFile(DatasetSpec spec, Path folder) {
    String state = state(spec, folder);
    if (state == null) {
      return spec;
    }
    String loadId = spec.loadId();
    // What asks for another load has an id of its own, and that stays another one.
    return spec.withLoadId(loadId == null ? state : state + SEPARATOR + loadId.hashCode());
  }

  private static @Nullable String state(DatasetSpec spec, Path folder) {
    VolumeSource volume = spec.source().volume();
    if (volume == null || !volume.name().equals(LocalObjects.DATA)) {
      return null;
    }
    try {
      BasicFileAttributes file =
          Files.readAttributes(
              folder.resolve(volume.path()), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // Files within a folder can change without it.
      return file.isRegularFile()
          ? file.size() + "-" + file.lastModifiedTime().to(TimeUnit.NANOSECONDS)
          : null;
    } catch (IOException | InvalidPathException e) {
      return "missing";
    }
  }

  @Override
  public List<String> notOffered() {
    try {
      return DataFolder.read(folder).notOffered();
    } catch (IOException e) {
      return List.of(folder + ": the folder cannot be read: " + e.getMessage());
    }
  }

  private boolean isCurrent(Dataset dataset) {
    String state = state(dataset.getSpec(), folder);
    String loaded = dataset.getSpec().loadId();
    return state == null
        || (loaded != null && (loaded.equals(state) || loaded.startsWith(state + SEPARATOR)));
  }

  /** The dataset, loaded again if its file has changed; as it is if that takes too long. */
  private void refresh(String namespace, String name) {
    Optional<Dataset> known = datasets.read(namespace, name);
    if (known.isEmpty() || isCurrent(known.get())) {
      return;
    }
    try (Subscription<Dataset> subscription = datasets.follow(namespace, name)) {
      DatasetSpec spec = known.get().getSpec().withLoadId(null);
      Optional<Dataset> replaced = datasets.replace(known.get(), withFile(spec, folder));
      // Another call may have replaced it meanwhile.
      Dataset newest = replaced.or(() -> datasets.read(namespace, name)).orElse(known.get());
      await(newest, subscription);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(Dataset newest, Subscription<Dataset> subscription)
      throws InterruptedException {
    Stopwatch time = new Stopwatch();
    long wanted = newest.getMetadata().getGeneration();
    Dataset seen = newest;
    while (seen.getMetadata().getGeneration() < wanted
        || DatasetState.of(seen) instanceof DatasetState.Loading) {
      Duration left = time.left(LOADING);
      Change<Dataset> change = left.isPositive() ? subscription.next(left) : null;
      if (change == null || change.deleted()) {
        return;
      }
      seen = change.object();
    }
  }

  @Override
  public Subscription<Dataset> follow(String namespace, String name) {
    return datasets.follow(namespace, name);
  }

  @Override
  public Optional<Dataset> find(String namespace, String name) {
    refresh(namespace, name);
    return datasets.find(namespace, name);
  }

  @Override
  public Optional<Dataset> read(String namespace, String name) {
    refresh(namespace, name);
    return datasets.read(namespace, name);
  }

  @Override
  public List<Dataset> list(String namespace) {
    return datasets.list(namespace);
  }

  @Override
  public Optional<Dataset> create(Dataset dataset) {
    dataset.setSpec(withFile(dataset.getSpec(), folder));
    return datasets.create(dataset);
  }

  @Override
  public Optional<Dataset> replace(Dataset read, DatasetSpec spec) {
    return datasets.replace(read, withFile(spec, folder));
  }

  @Override
  public boolean delete(Dataset read) {
    return datasets.delete(read);
  }
}
