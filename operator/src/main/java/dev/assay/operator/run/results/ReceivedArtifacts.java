package dev.assay.operator.run.results;

import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.operator.run.status.RunArtifacts;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The artifacts that one execution of a run receives: announced by events, within the limits of the
 * class, and stored when the runner has reported its result.
 */
public final class ReceivedArtifacts {
  private final ArtifactTransfer transfer;
  private final ArtifactLimits limits;
  private final List<RunnerEvent.Artifact> announced = new ArrayList<>();
  private final Set<String> paths = new HashSet<>();
  private long announcedBytes;
  private int dataBytes;
  private volatile RunArtifacts found = RunArtifacts.NONE;

  /** Nothing is announced yet. */
  public ReceivedArtifacts(ArtifactTransfer transfer, ArtifactLimits limits) {
    this.transfer = transfer;
    this.limits = limits;
  }

  /**
   * Notes an artifact.
   *
   * @throws ProtocolViolationException if it is one too many, too long, out of order, has the path
   *     of another, or more data than the artifacts of a run may have
   */
  public void announce(RunnerEvent.Artifact artifact) throws ProtocolViolationException {
    if (artifact.number() != announced.size() + 1 || artifact.number() > limits.maxCount()) {
      throw new ProtocolViolationException(
          "artifact %d came after artifact %d of at most %d"
              .formatted(artifact.number(), announced.size(), limits.maxCount()));
    }
    if (artifact.bytes() > limits.limitBytes() - announcedBytes) {
      throw new ProtocolViolationException(
          "the artifacts are longer than " + limits.limitBytes() + " bytes");
    }
    if (!paths.add(artifact.path())) {
      throw new ProtocolViolationException(
          "artifact " + artifact.number() + " has the path of another");
    }
    byte[] data = artifact.data();
    dataBytes += data == null ? 0 : data.length;
    if (dataBytes > RunnerEvent.Artifact.MAX_DATA) {
      throw new ProtocolViolationException(
          "the artifacts have more than " + RunnerEvent.Artifact.MAX_DATA + " bytes of data");
    }
    announcedBytes += artifact.bytes();
    announced.add(artifact);
  }

  /** Whether there are any to store. */
  public boolean areAnnounced() {
    return !announced.isEmpty();
  }

  /** There are none, and this says which files the runner left out, and why; null if none. */
  public void leftOut(@Nullable String message) {
    found = new RunArtifacts(List.of(), message);
  }

  /**
   * Stores all artifacts, so that the result can be acknowledged: then the runner forgets them. May
   * be repeated.
   *
   * @param message which files the runner left out, and why; null if none
   * @throws IOException if the output store is unavailable
   */
  public void store(Binding binding, @Nullable String message)
      throws IOException, InterruptedException {
    found = RunArtifacts.of(transfer.store(binding, List.copyOf(announced), message));
  }

  /** What {@link #store} has stored. */
  public RunArtifacts found() {
    return found;
  }
}
