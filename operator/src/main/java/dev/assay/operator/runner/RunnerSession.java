package dev.assay.operator.runner;

import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session with the runner of one Pod: connects, and reconnects while the Pod exists and the
 * deadline has not passed.
 */
public final class RunnerSession {
  private static final Logger LOG = LoggerFactory.getLogger(RunnerSession.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(10);
  private static final Duration LAST_RETRY = Duration.ofSeconds(1);

  /** The backoff for events that cannot be handled now, such as output while the disk is full. */
  private static final Duration LAST_RETRY_OF_HANDLER = Duration.ofSeconds(5);

  private static final int PROTOCOL = 1;

  private final RunnerClient client;
  private final PodView pod;
  private final Clock clock;

  public RunnerSession(RunnerClient client, PodView pod, Clock clock) {
    this.client = client;
    this.pod = pod;
    this.clock = clock;
  }

  /**
   * Handles events. After an IOException the runner sends the event again, and the time until it is
   * handled does not count: it is retried as long as the Pod exists.
   */
  @FunctionalInterface
  public interface EventHandler {
    void handle(RunnerEvent event)
        throws IOException, ProtocolViolationException, InterruptedException;
  }

  /** Whether the Pod is there and not about to end, as far as the cache shows. */
  public boolean isPodReachable() {
    return pod.now().filter(PodState::isReachable).isPresent();
  }

  /**
   * Requests the runner's hello until it responds.
   *
   * @param running the Pod, running
   * @param giveUp when to stop retrying
   */
  public Hello hello(Pod running, Instant giveUp)
      throws PodEndedException, RunnerLostException, InterruptedException {
    RunnerAddress address =
        RunnerAddress.find(running)
            .orElseThrow(() -> new RunnerLostException("its Pod declares no address of a runner"));
    Duration retry = FIRST_RETRY;
    while (true) {
      try {
        Hello hello = client.hello(address);
        if (hello.podUid().equals(running.getMetadata().getUid())) {
          if (hello.protocol() != PROTOCOL) {
            throw new RunnerLostException(
                "the runner speaks protocol " + hello.protocol() + ", not " + PROTOCOL);
          }
          return hello;
        }
        LOG.warn("Another Pod responded at the address of {}", running.getMetadata().getName());
      } catch (IOException | RunnerRefusedException e) {
        LOG.debug(
            "No hello response from {} yet: {}", running.getMetadata().getName(), e.toString());
      }
      long seen = pod.changes();
      checkAlive(!clock.instant().isBefore(giveUp), "timed out waiting for its runner");
      pod.awaitChangeSince(seen, retry);
      retry = longer(retry, LAST_RETRY);
    }
  }

  /**
   * Starts the staged job, or attaches to it if it is started already, and follows it to its end.
   * Events that were handled before may be repeated after a lost connection.
   *
   * @param maxTotalBytes maximum number of bytes to read from one connection
   * @param giveUp when to stop retrying
   * @throws RunnerRefusedException if the runner was told to refuse: it has not started the job
   */
  public RunnerEvent.Result follow(
      Binding binding, long maxTotalBytes, EventHandler handler, Instant giveUp)
      throws PodEndedException, RunnerLostException, RunnerRefusedException, InterruptedException {
    return follow(binding, null, maxTotalBytes, handler, giveUp);
  }

  /**
   * The same.
   *
   * @param signed the first start to send; null if none was signed before
   */
  public RunnerEvent.Result follow(
      Binding binding,
      @Nullable SignedStart signed,
      long maxTotalBytes,
      EventHandler handler,
      Instant giveUp)
      throws PodEndedException, RunnerLostException, RunnerRefusedException, InterruptedException {
    SignedStart start = signed;
    Duration retry = FIRST_RETRY;
    long handled = 0;
    PausableDeadline deadline = new PausableDeadline(clock, giveUp);
    while (true) {
      try (EventStream events =
          handled == 0
              ? start(binding, start, maxTotalBytes)
              : client.attach(binding, handled, maxTotalBytes)) {
        events.closeAfter(deadline.left());
        while (true) {
          RunnerEvent event = events.next();
          deadline.pause();
          handler.handle(event);
          deadline.resume();
          handled = event.seq();
          retry = FIRST_RETRY;
          if (event instanceof RunnerEvent.Result result) {
            return result;
          }
        }
      } catch (IOException e) {
        LOG.debug("Lost the connection to the runner of {}: {}", binding.runUid(), e.toString());
      } catch (ProtocolViolationException e) {
        throw new RunnerLostException("the runner violated the protocol: " + e.getMessage());
      } catch (RunnerRefusedException e) {
        if (handled == 0 && RunnerRefusedException.REFUSED.equals(e.code())) {
          throw e;
        }
        throw new RunnerLostException(e.getMessage());
      }
      start = null;
      long seen = pod.changes();
      checkAlive(deadline.hasPassed(), "its runner could not be followed to the end");
      pod.awaitChangeSince(seen, retry);
      retry = longer(retry, deadline.isPaused() ? LAST_RETRY_OF_HANDLER : LAST_RETRY);
    }
  }

  private EventStream start(Binding binding, @Nullable SignedStart signed, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    return signed != null && signed.isFresh(clock.instant())
        ? client.start(signed, maxTotalBytes)
        : client.start(binding, maxTotalBytes);
  }

  private void checkAlive(boolean timedOut, String otherwise)
      throws PodEndedException, RunnerLostException {
    Optional<Pod> now = pod.now();
    if (now.isEmpty()
        || PodState.isTerminal(now.get())
        || PodState.deletionOverdue(now.get(), clock.instant())) {
      throw new PodEndedException();
    }
    if (timedOut) {
      throw new RunnerLostException(otherwise);
    }
  }

  private static Duration longer(Duration retry, Duration last) {
    Duration doubled = retry.multipliedBy(2);
    return doubled.compareTo(last) > 0 ? last : doubled;
  }
}
