package dev.assay.local.kubelet;

import dev.assay.local.kubelet.PodStatuses.Failure;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one Pod through its life, on a thread of its own: all that happens to it is put into a
 * queue and handled in turn, and one write of the status tells of all that was in the queue.
 */
final class PodRunner {
  private static final Logger LOG = LoggerFactory.getLogger(PodRunner.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Node node;
  private final Runnable forgotten;
  private final String address;
  private final PodDirectory directory;
  private final BlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final Instant startTime;
  private final List<PodContainer> containers;
  private final PodReport report;
  private Pod pod;
  private boolean refused;
  private @Nullable Failure failure;
  private @Nullable ScheduledFuture<?> deadline;
  private @Nullable ScheduledFuture<?> killing;
  private boolean deleting;
  private boolean gone;

  /**
   * Nothing happens before {@link #start}.
   *
   * @param forgotten called at the end, when nothing is left of it
   */
  PodRunner(Node node, Pod pod, Runnable forgotten) {
    this.node = node;
    this.pod = pod;
    this.forgotten = forgotten;
    this.address = node.addresses().take();
    this.directory =
        new PodDirectory(node.directory().resolve(address.replace('.', '-')), node.claims());
    this.report = new PodReport(node.api(), node.clock());
    this.startTime = node.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    List<PodContainer> found = new ArrayList<>();
    for (Container container : pod.getSpec().getContainers()) {
      found.add(new PodContainer(container, node, mailbox::add));
    }
    this.containers = List.copyOf(found);
  }

  /** Takes the Pod and runs it. */
  void start() {
    Thread.ofVirtual().name("pod-" + pod.getMetadata().getName()).start(this::live);
  }

  /** Comes when nothing is left of it. */
  CompletableFuture<Void> end() {
    return end;
  }

  /** The Pod was changed. */
  void updated(Pod now) {
    mailbox.add(() -> update(now));
  }

  /** The Pod was removed from the API, or must end now for another reason. */
  void removed() {
    mailbox.add(
        () -> {
          gone = true;
          containers.forEach(PodContainer::kill);
        });
  }

  /** The containers, whose logs may be read from any thread. */
  List<PodContainer> containers() {
    return containers;
  }

  private void live() {
    try {
      take();
      while (!gone || anyAlive()) {
        publish();
        handle(mailbox.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("Pod {} is left alone", pod.getMetadata().getName(), e);
      containers.forEach(PodContainer::kill);
    } finally {
      cancel(deadline);
      cancel(killing);
      FinalSteps.run(
          () -> containers.forEach(PodContainer::releaseLog),
          directory::remove,
          () -> node.addresses().giveBack(address),
          forgotten,
          () -> end.complete(null));
    }
  }

  private void handle(Runnable first) {
    for (Runnable next = first; next != null; next = mailbox.poll()) {
      next.run();
    }
  }

  private void take() {
    try {
      node.api().bind(pod);
    } catch (KubernetesClientException e) {
      LOG.info("Pod {} was not taken: {}", pod.getMetadata().getName(), e.getMessage());
      gone = true;
      return;
    }
    scheduleDeadline();
    try {
      Optional<String> refusal = PodChecks.refusal(pod);
      if (refusal.isPresent()) {
        throw new RefusedPodException(refusal.get());
      }
      new PodStart(node, pod, address, directory).start(containers, this::containerEnded);
    } catch (RefusedPodException e) {
      refuse("UnsupportedPod", String.valueOf(e.getMessage()));
    } catch (IOException e) {
      refuse("StartFailed", "the Pod could not be started on this machine: " + e);
    }
  }

  private void refuse(String reason, String message) {
    refused = true;
    failure = new Failure(reason, message);
    containers.forEach(PodContainer::kill);
    node.api().warn(pod, reason, message);
  }

  private void update(Pod now) {
    pod = now;
    String deletion = now.getMetadata().getDeletionTimestamp();
    if (deletion != null && !deleting) {
      deleting = true;
      Long grace = now.getMetadata().getDeletionGracePeriodSeconds();
      endContainers(grace == null ? 0 : grace);
    }
    scheduleDeadline();
  }

  private void scheduleDeadline() {
    cancel(deadline);
    Long seconds = pod.getSpec().getActiveDeadlineSeconds();
    if (seconds != null && failure == null) {
      Instant at = startTime.plusSeconds(seconds);
      deadline = later(Duration.between(node.clock().instant(), at), this::deadlineReached);
    }
  }

  private static void cancel(@Nullable ScheduledFuture<?> task) {
    if (task != null) {
      task.cancel(false);
    }
  }

  private void deadlineReached() {
    if (failure == null && !PodStatuses.hasEnded(facts())) {
      failure =
          new Failure(
              "DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
      Long grace = pod.getSpec().getTerminationGracePeriodSeconds();
      endContainers(grace == null ? 0 : grace);
    }
  }

  private void endContainers(long graceSeconds) {
    if (graceSeconds > 0) {
      containers.forEach(PodContainer::terminate);
      cancel(killing);
      killing =
          later(Duration.ofSeconds(graceSeconds), () -> containers.forEach(PodContainer::kill));
    } else {
      containers.forEach(PodContainer::kill);
    }
  }

  private void containerEnded() {
    if (!anyAlive()) {
      cancel(deadline);
      directory.removeVolumes();
    }
  }

  private boolean anyAlive() {
    return containers.stream().anyMatch(PodContainer::isAlive);
  }

  private void publish() {
    if (!gone && !report.write(pod, facts(), deleting && !anyAlive())) {
      ScheduledFuture<?> unused = later(RETRY, () -> {});
    }
  }

  private PodStatuses.Facts facts() {
    return new PodStatuses.Facts(
        address,
        startTime,
        refused ? List.of() : containers.stream().map(PodContainer::facts).toList(),
        failure);
  }

  private @Nullable ScheduledFuture<?> later(Duration delay, Runnable action) {
    try {
      return node.timer()
          .schedule(
              () -> mailbox.add(action), Math.max(0, delay.toMillis()), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is closing, and ends all of its Pods.
      return null;
    }
  }
}
