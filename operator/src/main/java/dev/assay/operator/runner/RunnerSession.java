package dev.assay.operator.runner;

import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A conversation with the runner of one Pod: dials, and dials again while the Pod lives and the
 * time is not over.
 */
public final class RunnerSession {
  private static final Logger LOG = LoggerFactory.getLogger(RunnerSession.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(10);
  private static final Duration LAST_RETRY = Duration.ofSeconds(1);

  /** What cannot be handled now, such as output for a full disk, comes again less often. */
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
   * What becomes of events. An IOException leaves the event with the runner, to come again, and the
   * time until it is handled does not count: nothing is given up for it while the Pod lives.
   */
  @FunctionalInterface
  public interface EventHandler {
    void handle(RunnerEvent event) throws IOException, ProtocolViolationException;
  }

  /**
   * Asks the runner who it is, until it answers.
   *
   * @param running the Pod, running
   * @param giveUp when to stop trying
   */
  public Hello hello(Pod running, Instant giveUp)
      throws PodEndedException, RunnerLostException, InterruptedException {
    RunnerAddress address = RunnerAddress.of(running);
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
        LOG.warn("Another Pod answers at the address of {}", running.getMetadata().getName());
      } catch (IOException | RunnerRefusedException e) {
        LOG.debug("No hello from {} yet: {}", running.getMetadata().getName(), e.toString());
      }
      long seen = pod.changes();
      checkAlive(!clock.instant().isBefore(giveUp), "its runner did not answer in time");
      pod.awaitChangeSince(seen, retry);
      retry = longer(retry, LAST_RETRY);
    }
  }

  /**
   * Starts the staged job, or attaches to it where it is started already, and follows it to its
   * end. Events that were handled before may come again after a lost connection.
   *
   * @param maxTotalBytes most bytes to read of one connection
   * @param giveUp when to stop trying
   */
  public RunnerEvent.Result follow(
      Binding binding, long maxTotalBytes, EventHandler handler, Instant giveUp)
      throws PodEndedException, RunnerLostException, InterruptedException {
    Duration retry = FIRST_RETRY;
    long handled = 0;
    PausableDeadline deadline = new PausableDeadline(clock, giveUp);
    while (true) {
      try (EventStream events =
          handled == 0
              ? client.start(binding, maxTotalBytes)
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
        LOG.debug("Lost the runner of {}: {}", binding.runUid(), e.toString());
      } catch (ProtocolViolationException e) {
        throw new RunnerLostException("the runner broke its protocol: " + e.getMessage());
      } catch (RunnerRefusedException e) {
        throw new RunnerLostException(e);
      }
      long seen = pod.changes();
      checkAlive(deadline.hasPassed(), "its runner could not be followed to the end");
      pod.awaitChangeSince(seen, retry);
      retry = longer(retry, deadline.isPaused() ? LAST_RETRY_OF_HANDLER : LAST_RETRY);
    }
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
