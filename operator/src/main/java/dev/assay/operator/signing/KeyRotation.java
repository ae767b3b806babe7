package dev.assay.operator.signing;

import dev.assay.operator.signing.SigningKeySecret.Stored;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the signing key from time to time or on request, and removes the previous one once no Pod
 * carries it. Runs on the leader only.
 */
public final class KeyRotation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRotation.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** A Pod that was being made during a rotation is there by then. */
  static final Duration MIN_OVERLAP = Duration.ofMinutes(2);

  private final SigningKeySecret secret;
  private final SigningKeys keys;
  private final Predicate<String> carried;
  private final Duration maxAge;
  private final Clock clock;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("key-rotation").factory());

  /** What is next for the keys. */
  enum Step {
    KEEP,
    ROTATE,
    DROP_PREVIOUS
  }

  /**
   * A rotation that has not begun.
   *
   * @param carried whether there is a Pod that was made with the key of an id
   * @param maxAge when a key is changed without being asked; zero for never
   */
  public KeyRotation(
      SigningKeySecret secret,
      SigningKeys keys,
      Predicate<String> carried,
      Duration maxAge,
      Clock clock) {
    this.secret = secret;
    this.keys = keys;
    this.carried = carried;
    this.maxAge = maxAge;
    this.clock = clock;
  }

  /** Begins to look after the keys. */
  public void start() {
    keys.reload();
    var unused =
        timer.scheduleWithFixedDelay(
            this::lookQuietly, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void lookQuietly() {
    try {
      look();
    } catch (RuntimeException e) {
      LOG.warn("The signing keys could not be looked after: {}", e.toString());
    }
  }

  /** Takes the step that is next, if any. */
  void look() {
    Stored stored = secret.read();
    KeyRing ring = stored.keys();
    SigningKey previous = ring.previous();
    Step step =
        next(
            ring,
            stored.rotationRequested(),
            maxAge,
            clock.instant(),
            () -> previous != null && carried.test(previous.id()));
    KeyRing changed =
        switch (step) {
          case KEEP -> ring;
          case ROTATE -> ring.rotated(SigningKey.generate(), clock.instant());
          case DROP_PREVIOUS -> ring.withoutPrevious();
        };
    if (step != Step.KEEP) {
      write(changed, stored);
      LOG.info(
          step == Step.ROTATE ? "New signing key {}" : "Only signing key {} is left",
          changed.current().id());
    }
    keys.use(changed);
  }

  private void write(KeyRing changed, Stored stored) {
    try {
      secret.replace(changed, stored.resourceVersion());
    } catch (KubernetesClientException e) {
      throw new IllegalStateException("the Secret was not written: " + e.getMessage(), e);
    }
  }

  /** There are two keys at most: a new one waits until the one before the present is gone. */
  static Step next(
      KeyRing ring,
      boolean requested,
      Duration maxAge,
      Instant now,
      BooleanSupplier previousIsCarried) {
    if (ring.previous() != null) {
      boolean overlapped = !now.isBefore(ring.since().plus(MIN_OVERLAP));
      return overlapped && !previousIsCarried.getAsBoolean() ? Step.DROP_PREVIOUS : Step.KEEP;
    }
    boolean old = !maxAge.isZero() && !now.isBefore(ring.since().plus(maxAge));
    return requested || old ? Step.ROTATE : Step.KEEP;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
