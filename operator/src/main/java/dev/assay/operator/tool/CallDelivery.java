package dev.assay.operator.tool;

import dev.assay.api.digest.Sha256;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerRefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the outcomes of the calls of one run to its Pod, one after the other. They are stored
 * until the Pod has them.
 */
final class CallDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(CallDelivery.class);

  /** Outcomes of this length are always taken by a runner. */
  private static final int SHORT = 64 * 1024;

  /** How many bytes the longer ones of a batch may have together. */
  private static final long MAX_BATCH = 8L << 20;

  /** Attempts after the runner refused for a cause that may pass: it is receiving another body. */
  private static final int MAX_REFUSALS = 6;

  /** For a runner that takes less than this process expects. */
  private static final byte[] TOO_LARGE =
      Outcome.error(
              CallCode.RESULT_TOO_LARGE,
              "The result is too large for the runner: request less from the tool",
              Sent.YES)
          .body();

  private final ToolCallServices services;
  private final Binding binding;
  private final String namespace;
  private final String runUid;
  private final long limit;
  private final CallSequence sequence;
  private final ReentrantLock sending = new ReentrantLock(/* fair= */ true);
  private long batchBytes;

  CallDelivery(
      ToolCallServices services,
      Binding binding,
      String namespace,
      String runUid,
      RunToolPolicy policy,
      CallSequence sequence) {
    this.services = services;
    this.binding = binding;
    this.namespace = namespace;
    this.runUid = runUid;
    this.limit = policy.outcomeBytes();
    this.sequence = sequence;
  }

  /** The calls before are answered. */
  synchronized void beginBatch() {
    batchBytes = 0;
  }

  /** The outcome, or one that says that it is longer than the runner takes. */
  synchronized Outcome fitting(Outcome outcome) {
    int length = outcome.body().length;
    if (length <= SHORT) {
      return outcome;
    }
    if (length > limit) {
      return outcome.tooLarge(limit);
    }
    if (batchBytes + length > MAX_BATCH) {
      return outcome.tooLarge(MAX_BATCH - batchBytes);
    }
    batchBytes += length;
    return outcome;
  }

  /** Stores an outcome until the Pod has it; where that fails, the gateway still has it. */
  void store(int call, byte[] body) {
    try {
      services.outputs().putOutcome(namespace, runUid, call, body);
    } catch (IOException e) {
      LOG.debug("The outcome of call {} of run {} is not stored: {}", call, runUid, e.toString());
    }
  }

  /** Delivers an outcome. */
  void deliver(int call, byte[] body) throws InterruptedException {
    boolean isDelivered;
    sending.lockInterruptibly();
    try {
      sequence.delivering(call);
      isDelivered = send(call, body);
      sequence.answered(call);
    } finally {
      sending.unlock();
    }
    if (isDelivered) {
      // No other outcome waits for this.
      forget(call);
    }
  }

  /**
   * Delivers an outcome that an earlier process has stored.
   *
   * @param otherwise the outcome if it is not stored anymore
   */
  void deliverStored(int call, Supplier<Outcome> otherwise) throws InterruptedException {
    byte[] body;
    try {
      Optional<InputStream> stored = services.outputs().outcome(namespace, runUid, call);
      if (stored.isPresent()) {
        try (InputStream content = stored.get()) {
          body = content.readNBytes((int) Math.max(limit, SHORT));
        }
      } else {
        body = otherwise.get().body();
      }
    } catch (IOException e) {
      body = otherwise.get().body();
    }
    deliver(call, body);
  }

  /**
   * Retries as long as the run is followed: this thread is interrupted at its end.
   *
   * @return whether the Pod has it; false if it takes none
   */
  private boolean send(int call, byte[] outcome) throws InterruptedException {
    byte[] body = outcome;
    Backoff backoff = new Backoff(services.clock(), Instant.MAX);
    int refusals = 0;
    do {
      try {
        services
            .runners()
            .toolResult(
                binding, call, body.length, Sha256.hex(body), new ByteArrayInputStream(body));
        return true;
      } catch (RunnerRefusedException e) {
        LOG.debug("Call {} of run {}: {}", call, runUid, e.getMessage());
        if (++refusals == MAX_REFUSALS || "BytesChanged".equals(e.code())) {
          return false;
        }
        if ("TooLarge".equals(e.code())) {
          body = TOO_LARGE;
        }
      } catch (IOException e) {
        LOG.debug("Call {} of run {} is not answered: {}", call, runUid, e.toString());
      }
    } while (backoff.pause());
    return false;
  }

  private void forget(int call) {
    try {
      services.outputs().deleteOutcome(namespace, runUid, call);
    } catch (IOException e) {
      LOG.debug("The outcome of call {} of run {} is left: {}", call, runUid, e.toString());
    }
  }
}
