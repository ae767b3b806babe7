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
 * Replaces the signing key when it is too old or on request, and removes the previous one once no
 * Pod has it. Restores the Secret if it was deleted. Runs on the leader only.
 */
public final class KeyRotation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRotation.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** By then, a Pod whose creation was in progress during a rotation exists. */
  static final Duration MIN_OVERLAP = Duration.ofMinutes(2);

  private final SigningKeySecret secret;
  private final SigningKeys keys;
  private final Predicate<String> carried;
  private final Duration maxAge;
  private final Clock clock;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("key-rotation").factory());

  /** The next step of a rotation. */
  enum Step {
    KEEP,
    ROTATE,
    DROP_PREVIOUS
  }

  /**
   * Creates a rotation that is not started yet.
   *
   * @param carried whether any Pod was created with the key of this id
   * @param maxAge age at which the key is replaced; zero for only on request
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

  /** Starts periodic checks of the keys. */
  public void start() {
    keys.reload();
    var unused =
        timer.scheduleWithFixedDelay(
            this::runQuietly, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void runQuietly() {
    try {
      runOnce();
    } catch (RuntimeException e) {
      LOG.warn("The check of the signing keys failed and will be retried: {}", e.toString());
    }
  }

  /** Does the next step, if any. */
  void runOnce() {
    Stored stored = secret.readOrRestore(keys.ring());
    KeyRing ring = stored.keys();
    if (ring.find(keys.current().id()).isEmpty()) {
      // Each rotation keeps the key before it: a replica that started after the Secret was deleted
      // has created a key of its own, which no Pod has.
      LOG.warn("The signing keys were replaced by others; they are stored again");
      write(keys.ring(), stored);
      return;
    }
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
          step == Step.ROTATE
              ? "New signing key {}"
              : "Removed the previous signing key; the current one is {}",
          changed.current().id());
    }
    keys.use(changed);
  }

  private void write(KeyRing changed, Stored stored) {
    try {
      secret.replace(changed, stored.resourceVersion());
    } catch (KubernetesClientException e) {
      throw new IllegalStateException("failed to write the Secret: " + e.getMessage(), e);
    }
  }

  /** There are at most two keys: no rotation starts before the previous key is removed. */
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
