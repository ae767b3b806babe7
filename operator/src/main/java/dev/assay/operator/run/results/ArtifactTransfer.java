package dev.assay.operator.run.results;

import dev.assay.operator.output.ArtifactList;
import dev.assay.operator.output.ArtifactWriter;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.PodText;
import dev.assay.operator.runner.ArtifactFetch;
import dev.assay.operator.runner.ArtifactLostException;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerRefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Brings the artifacts of runs from their Pods into the store: of a bounded number at a time. */
public final class ArtifactTransfer {
  private static final int MAX_TRANSFERS = 32;
  private static final int MAX_OF_A_NAMESPACE = 8;
  private static final int RESERVED_FOR_NEW_NAMESPACES = 8;
  private static final int MAX_RETRIES = 5;
  private static final Duration RETRY = Duration.ofMillis(200);
  private static final Duration OVERHEAD = Duration.ofSeconds(20);
  private static final int MAX_NAMED = 64;

  private final RunnerClient runners;
  private final RunOutputs outputs;
  private final RunOutputs.Limits limits;
  private final Clock clock;
  private final TransferSlots slots =
      new TransferSlots(MAX_TRANSFERS, MAX_OF_A_NAMESPACE, RESERVED_FOR_NEW_NAMESPACES);

  public ArtifactTransfer(
      RunnerClient runners, RunOutputs outputs, RunOutputs.Limits limits, Clock clock) {
    this.runners = runners;
    this.outputs = outputs;
    this.limits = limits;
    this.clock = clock;
  }

  /**
   * Stores artifacts, unless that was done before; fetches those whose events had no data.
   *
   * @param announced in the order of their numbers
   * @param message which files the runner left out, and why; null if none
   * @return what is stored
   * @throws IOException if the store is unavailable
   */
  ArtifactList store(
      Binding binding, List<RunnerEvent.Artifact> announced, @Nullable String message)
      throws IOException, InterruptedException {
    long bytes = announced.stream().mapToLong(RunnerEvent.Artifact::bytes).sum();
    // Also if nothing is to be fetched: the slots bound what is written and synchronized at once.
    slots.acquire(binding.namespace());
    try {
      return outputs.storeArtifacts(
          binding.namespace(),
          binding.runUid(),
          bytes,
          limits,
          writer -> sentence(message, addAll(binding, announced, bytes, writer)));
    } finally {
      slots.release(binding.namespace());
    }
  }

  /** Adds all; returns the paths of those that the Pod does not deliver. */
  private List<String> addAll(
      Binding binding, List<RunnerEvent.Artifact> announced, long bytes, ArtifactWriter writer)
      throws IOException, InterruptedException {
    // Not earlier: a process that was suspended must not store that files are lost before the
    // next leader, which can fetch them, has stored them.
    Instant end = clock.instant().plus(OVERHEAD).plus(RunnerClient.transferTime(bytes));
    List<String> lost = new ArrayList<>();
    List<RunnerEvent.Artifact> left = new ArrayList<>(announced);
    addReceived(left, writer);
    int retries = MAX_RETRIES;
    while (!left.isEmpty()) {
      Duration time = Duration.between(clock.instant(), end);
      if (!time.isPositive() || retries < 0) {
        break;
      }
      try (ArtifactFetch fetch = runners.artifacts(binding, List.copyOf(left), time)) {
        addUntil(end, fetch, left, writer, lost);
      } catch (ArtifactLostException e) {
        retries--;
        Thread.sleep(RETRY);
      } catch (RunnerRefusedException e) {
        break;
      }
    }
    left.forEach(artifact -> lost.add(artifact.path()));
    return lost;
  }

  /**
   * Adds the artifacts before the first one whose event had no data.
   *
   * @param left those that are added are removed from it
   */
  private static void addReceived(List<RunnerEvent.Artifact> left, ArtifactWriter writer)
      throws IOException {
    while (!left.isEmpty()) {
      RunnerEvent.Artifact artifact = left.getFirst();
      byte[] data = artifact.data();
      if (data == null) {
        return;
      }
      writer.add(artifact.path(), artifact.bytes(), new ByteArrayInputStream(data));
      left.removeFirst();
    }
  }

  /**
   * Adds artifacts until one is not delivered, or the time is over: a Pod may refuse each of them
   * as slowly as it may deliver it.
   *
   * @param left those that are handled are removed from it
   * @param lost receives the paths of those that are not there any more
   */
  private void addUntil(
      Instant end,
      ArtifactFetch fetch,
      List<RunnerEvent.Artifact> left,
      ArtifactWriter writer,
      List<String> lost)
      throws IOException {
    while (!left.isEmpty() && clock.instant().isBefore(end)) {
      RunnerEvent.Artifact artifact = left.getFirst();
      Optional<InputStream> content = fetch.next();
      if (content.isPresent()) {
        writer.add(artifact.path(), artifact.bytes(), content.get());
      } else {
        lost.add(artifact.path());
      }
      left.removeFirst();
    }
  }

  private static @Nullable String sentence(@Nullable String message, List<String> lost) {
    if (lost.isEmpty()) {
      return message;
    }
    String first = lost.getFirst();
    String named = PodText.line(first, MAX_NAMED) + (first.length() > MAX_NAMED ? "…" : "");
    String more =
        "%d of the files could not be fetched from the Pod, such as \"%s\""
            .formatted(lost.size(), named);
    return message == null ? more : message + "; " + more;
  }
}
