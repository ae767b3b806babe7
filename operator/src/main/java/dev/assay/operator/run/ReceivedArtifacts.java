package dev.assay.operator.run;

import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.operator.runner.ArtifactLostException;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The artifacts that one execution of a run receives: announced by events, within the limits of the
 * class, and stored when the runner has reported its result.
 */
final class ReceivedArtifacts {
  private static final int MAX_AT_ONCE = 8;
  private static final int MAX_RETRIES = 5;
  private static final Duration RETRY = Duration.ofMillis(200);
  private static final Duration OVERHEAD = Duration.ofSeconds(20);
  private static final int MAX_NAMED = 64;

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final List<RunnerEvent.Artifact> announced = new ArrayList<>();
  private final Set<String> paths = new HashSet<>();
  private final AtomicInteger retriesLeft = new AtomicInteger(MAX_RETRIES);
  private long announcedBytes;
  private volatile RunArtifacts found = RunArtifacts.NONE;

  ReceivedArtifacts(ExecutionServices services, ExecutionRequest request) {
    this.services = services;
    this.request = request;
  }

  /**
   * Notes an artifact.
   *
   * @throws ProtocolViolationException if it is one too many, too long, out of order or has the
   *     path of another
   */
  void announce(RunnerEvent.Artifact artifact) throws ProtocolViolationException {
    ArtifactLimits limits = request.limits().artifacts();
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
    announcedBytes += artifact.bytes();
    announced.add(artifact);
  }

  /** Whether there are any to store. */
  boolean areAnnounced() {
    return !announced.isEmpty();
  }

  /** There are none, and this says which files the runner left out, and why; null if none. */
  void leftOut(@Nullable String message) {
    found = new RunArtifacts(List.of(), message);
  }

  /**
   * Stores all artifacts, so that the result can be acknowledged: then the runner forgets them. May
   * be repeated.
   *
   * @param message which files the runner left out, and why; null if none
   * @throws IOException if the output store is unavailable, or has something else
   */
  void store(Binding binding, @Nullable String message) throws IOException, InterruptedException {
    services.outputs().expectArtifacts(request.namespace(), request.runUid(), announcedBytes);
    Instant end =
        services.clock().instant().plus(OVERHEAD).plus(RunnerClient.transferTime(announcedBytes));
    List<RunnerEvent.Artifact> slots = new ArrayList<>(announced);
    List<Optional<RunArtifact>> stored = storeAll(binding, slots, end);
    List<String> lost = fillGaps(binding, slots, stored, end);
    services.outputs().finishArtifacts(request.namespace(), request.runUid());
    found =
        new RunArtifacts(
            stored.stream().flatMap(Optional::stream).toList(), sentence(message, lost));
  }

  /** What {@link #store} has stored. */
  RunArtifacts found() {
    return found;
  }

  private List<Optional<RunArtifact>> storeAll(
      Binding binding, List<RunnerEvent.Artifact> slots, Instant end)
      throws IOException, InterruptedException {
    Semaphore atOnce = new Semaphore(MAX_AT_ONCE);
    List<Callable<Optional<RunArtifact>>> transfers = new ArrayList<>();
    for (int slot = 0; slot < slots.size(); slot++) {
      int number = slot + 1;
      RunnerEvent.Artifact artifact = slots.get(slot);
      transfers.add(
          () -> {
            atOnce.acquire();
            try {
              return storeOne(binding, artifact, number, end);
            } finally {
              atOnce.release();
            }
          });
    }
    List<Optional<RunArtifact>> stored = new ArrayList<>();
    for (Future<Optional<RunArtifact>> transfer : services.threads().invokeAll(transfers)) {
      stored.add(result(transfer));
    }
    return stored;
  }

  private static Optional<RunArtifact> result(Future<Optional<RunArtifact>> transfer)
      throws IOException, InterruptedException {
    try {
      return transfer.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException store -> throw store;
        case UncheckedIOException store -> throw store.getCause();
        case InterruptedException interrupted -> throw interrupted;
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** Empty if the Pod does not deliver it. */
  private Optional<RunArtifact> storeOne(
      Binding binding, RunnerEvent.Artifact artifact, int number, Instant end)
      throws IOException, InterruptedException {
    while (true) {
      Duration left = Duration.between(services.clock().instant(), end);
      if (!left.isPositive() || retriesLeft.get() < 0) {
        return Optional.empty();
      }
      try {
        return services
            .artifacts()
            .store(binding, artifact, number, left)
            .map(
                sha256 ->
                    new RunArtifact(
                        artifact.path(), artifact.bytes(), sha256, MediaTypes.of(artifact.path())));
      } catch (ArtifactLostException e) {
        if (retriesLeft.decrementAndGet() < 0) {
          return Optional.empty();
        }
        Thread.sleep(RETRY);
      }
    }
  }

  /**
   * The number of an artifact is its position in the status: each gap is filled with the last
   * artifact, stored under the number of the gap.
   *
   * @return the paths of those that are lost
   */
  private List<String> fillGaps(
      Binding binding,
      List<RunnerEvent.Artifact> slots,
      List<Optional<RunArtifact>> stored,
      Instant end)
      throws IOException, InterruptedException {
    List<String> lost = new ArrayList<>();
    for (int slot = 0; slot < stored.size(); slot++) {
      while (slot < stored.size() && stored.get(slot).isEmpty()) {
        lost.add(slots.get(slot).path());
        RunnerEvent.Artifact last = slots.removeLast();
        boolean isStored = stored.removeLast().isPresent();
        if (slot < slots.size()) {
          slots.set(slot, last);
          if (isStored) {
            stored.set(slot, storeOne(binding, last, slot + 1, end));
          }
        }
      }
    }
    return lost;
  }

  private static @Nullable String sentence(@Nullable String message, List<String> lost) {
    if (lost.isEmpty()) {
      return message;
    }
    String first = lost.getFirst();
    String named = first.length() <= MAX_NAMED ? first : first.substring(0, MAX_NAMED) + "…";
    String more =
        "%d of the files could not be fetched from the Pod, such as \"%s\""
            .formatted(lost.size(), named);
    return message == null ? more : message + "; " + more;
  }
}
