package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Brings the bytes of uploaded datasets to the Pods that read them. */
public final class DatasetUploads {
  /** Until the status says what became of an upload that did not arrive. */
  private static final Duration STATUS_LAG = Duration.ofSeconds(10);

  private static final String SUPERSEDED =
      "The upload was superseded by another load of the same dataset";

  private static final String LOST =
      "Somebody else has replaced the dataset, or the operator was restarted; look at it and upload"
          + " it again";

  /** The Pod waits for the first byte for longer than the caller waits for this. */
  private static final String UNREACHABLE =
      "The operator could not be reached; upload it again in half a minute. Until then the dataset"
          + " may still be Uploading, and another upload of it is refused";

  private final DatasetGateway datasets;
  private final UploadRelay relay;
  private final DatasetWait wait;
  private final RunClasses classes;
  private final AbortedUploads aborts;

  /** Over a relay, and the datasets that tell when it can take an upload. */
  public DatasetUploads(
      DatasetGateway datasets, UploadRelay relay, DatasetWait wait, RunClasses classes) {
    this.datasets = datasets;
    this.relay = relay;
    this.wait = wait;
    this.classes = classes;
    this.aborts = new AbortedUploads(datasets, relay, wait, classes);
  }

  /** What became of an upload. */
  public sealed interface Outcome {}

  /** Its dataset is not loaded. */
  public sealed interface NotLoaded extends Outcome {
    /** What happened, for the caller. */
    DatasetState.Failed state();
  }

  /** Its Pod has all of it, and reads it. */
  public record Taken() implements Outcome {}

  /** It was refused before its first byte. */
  public record Refused(DatasetState.Failed state) implements NotLoaded {}

  /** It did not arrive. */
  public record NotTaken(DatasetState.Failed state) implements NotLoaded {
    private NotTaken(String why) {
      this(DatasetState.Failed.passing(why));
    }
  }

  /** Another load of the same name came before its first byte. */
  public record Superseded(DatasetState.Failed state) implements NotLoaded {}

  /** The source of an upload that is to come. */
  public static UploadSource announce(long bytes) {
    return new UploadSource(UUID.randomUUID().toString(), bytes);
  }

  /**
   * Why a dataset's class would not take an upload of this length; empty where it does, or is not
   * known here.
   *
   * @param name of the dataset
   * @param snapshotClass null for that of the dataset that is replaced, or the usual one
   */
  public Optional<String> tooLong(
      String namespace, String name, @Nullable String snapshotClass, long bytes) {
    String className =
        DatasetWriter.classOf(
            snapshotClass, datasets.find(namespace, DatasetName.toResourceName(name)));
    return classes
        .find(className)
        .map(found -> found.getSpec().sourceLimits().maxBytes())
        .filter(most -> bytes > most)
        .map(
            most ->
                "It has "
                    + bytes
                    + " bytes, and class '"
                    + className
                    + "' takes at most "
                    + most
                    + ": name a snapshot class that takes more, if there is one");
  }

  /**
   * Brings the bytes of a dataset that was just written with an announced upload.
   *
   * @param body as many bytes as were announced; nothing is read of it before a Pod waits for it
   * @param subscription to the dataset, made before it was written
   */
  public Outcome bring(
      Dataset written, InputStream body, Subscription<Dataset> subscription, CallContext call)
      throws InterruptedException {
    UploadSource upload = Objects.requireNonNull(written.getSpec().source().upload());
    Duration bound = classes.limitsOf(written.getSpec().className()).pendingBound();
    DatasetWait.Seen seen = wait.awaitUploading(written, subscription, bound, call);
    if (!upload.equals(seen.dataset().getSpec().source().upload())) {
      return new Superseded(DatasetState.Failed.passing(SUPERSEDED));
    }
    switch (seen.state()) {
      case DatasetState.Failed failed -> {
        return new Refused(failed);
      }
      case DatasetState.Ready ready -> {
        return new NotTaken(LOST);
      }
      case DatasetState.Loading loading -> {
        if (call.cancellation().isCancelled() || !loading.isUploading()) {
          aborts.abort(seen.dataset());
          return new NotTaken(
              call.cancellation().isCancelled()
                  ? "The upload was cancelled before it began"
                  : "Timed out waiting for a Pod to upload it to; retry later");
        }
      }
    }
    String namespace = written.getMetadata().getNamespace();
    UploadRelay.Relayed relayed =
        relay.send(namespace, written.getMetadata().getUid(), upload, body);
    if (relayed == UploadRelay.Relayed.TAKEN) {
      return new Taken();
    }
    return wait.await(asItIs(written), subscription, STATUS_LAG, call)
            instanceof DatasetState.Failed failed
        ? new NotTaken(failed)
        : new NotTaken(relayed == UploadRelay.Relayed.UNREACHABLE ? UNREACHABLE : LOST);
  }

  private Dataset asItIs(Dataset written) {
    try {
      return datasets
          .read(written.getMetadata().getNamespace(), written.getMetadata().getName())
          .orElse(written);
    } catch (ClusterException e) {
      return written; // Its changes are watched.
    }
  }
}
