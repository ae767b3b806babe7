package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The state of a dataset as a caller sees it: that of its newest spec. */
public sealed interface DatasetState {
  /** It can be used. */
  record Ready(Snapshot snapshot) implements DatasetState {}

  /**
   * It was not loaded.
   *
   * @param message what happened, often in the reader's own words
   * @param isCorrectable whether the source or the arguments have to be corrected; otherwise the
   *     same call may succeed
   */
  record Failed(String message, boolean isCorrectable) implements DatasetState {
    private static final Pattern ERROR = Pattern.compile("([A-Z]\\w*): .*", Pattern.DOTALL);

    /** Errors that are not about the source. */
    private static final Set<String> PASSING =
        Set.of("ProcessEnded", "WorkerLost", "VolumeFullError", "OSError");

    private static final String INTERNAL = ": The snapshot could not be created";

    /** Of the operator, about what the spec asks for. */
    private static final List<String> REFUSALS =
        List.of("Reading the source ", "There is no class ", "Class ", "No volume ");

    private static Failed of(String message) {
      boolean unread =
          message.startsWith("ProcessEnded:") && message.contains("before it ran code");
      return new Failed(
          unread ? message + "; nothing is wrong with the file: load it again" : message,
          isCorrectable(message));
    }

    private static boolean isCorrectable(String message) {
      Matcher error = ERROR.matcher(message);
      return error.matches()
          ? !PASSING.contains(error.group(1)) && !message.contains(INTERNAL)
          : REFUSALS.stream().anyMatch(message::startsWith);
    }

    /** Something else than its source was in the way. */
    static Failed passing(String message) {
      return new Failed(message, false);
    }
  }

  /** It is being read, or the operator has not seen its newest spec yet. */
  record Loading(DatasetPhase phase) implements DatasetState {
    /** Whether its Pod takes the bytes of an upload. */
    boolean isUploading() {
      return phase == DatasetPhase.Uploading;
    }
  }

  /**
   * What runs read now. While a dataset is being replaced, or where that failed, it is the snapshot
   * before.
   */
  static Optional<Snapshot> usable(Dataset dataset) {
    @Nullable DatasetStatus status = dataset.getStatus();
    return status == null ? Optional.empty() : Optional.ofNullable(status.snapshot());
  }

  /** The state of a dataset. */
  static DatasetState of(Dataset dataset) {
    @Nullable DatasetStatus status = dataset.getStatus();
    if (status == null || status.phase() == null) {
      return new Loading(DatasetPhase.Pending);
    }
    Long generation = dataset.getMetadata().getGeneration();
    boolean current = generation == null || generation.equals(status.observedGeneration());
    if (!current) {
      return new Loading(DatasetPhase.Pending);
    }
    return switch (status.phase()) {
      case Ready ->
          status.snapshot() == null
              ? new Loading(DatasetPhase.Loading)
              : new Ready(status.snapshot());
      case Failed -> Failed.of(status.message() == null ? "no reason was given" : status.message());
      case Pending, Uploading, Loading, Unknown -> new Loading(status.phase());
    };
  }
}
