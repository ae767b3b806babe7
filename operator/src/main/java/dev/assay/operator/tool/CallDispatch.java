package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import dev.assay.operator.tool.GatewayClient.NotAcceptedException;
import dev.assay.operator.tool.GatewayClient.ReplicaGoneException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the calls of one run to the gateway, each at most once: to the process that its recorded
 * intent names, and to another one only where that one has certainly not accepted it.
 */
final class CallDispatch {
  private static final Logger LOG = LoggerFactory.getLogger(CallDispatch.class);

  /** How long replicas are asked that accept nothing: they are busy, or are started again. */
  private static final Duration NOT_ACCEPTED_FOR = Duration.ofSeconds(30);

  /** How long a replica may be unreachable before it counts as gone. */
  private static final Duration GONE_AFTER = Duration.ofSeconds(30);

  /** How much later than the run's deadline an outcome may come. */
  private static final Duration SLACK = Duration.ofSeconds(5);

  private static final Duration MIN_TIME = Duration.ofMillis(1);

  private final ToolCallServices services;
  private final CallLog log;
  private final String runUid;
  private final Supplier<Instant> deadline;

  /** Whether the last call of the run was accepted: false after one that was given up. */
  private volatile boolean accepting = true;

  /** Not the same for two executions of a run, be they those of one process. */
  private final String sender = UUID.randomUUID().toString();

  CallDispatch(ToolCallServices services, CallLog log, String runUid, Supplier<Instant> deadline) {
    this.services = services;
    this.log = log;
    this.runUid = runUid;
    this.deadline = deadline;
  }

  /** Sends a call that nobody has sent, and waits for its outcome. */
  Outcome send(GatewayCall call, int group, Subject subject) throws InterruptedException {
    Optional<GatewayClient> gateway = services.gateway();
    if (gateway.isEmpty()) {
      return unavailable("there is no tool gateway (toolGateway.enabled)");
    }
    // While the gateway accepts no call of the run, only the first one waits for it.
    GatewayAttempts attempts =
        new GatewayAttempts(
            () -> gateway.get().addresses(runUid),
            services.clock(),
            accepting ? NOT_ACCEPTED_FOR : Duration.ZERO,
            deadline.get());
    String cause = "the tool gateway has no replica";
    @Nullable Intent own = null;
    int recordedIntents = 0;
    for (Optional<String> next = attempts.first(); next.isPresent(); ) {
      try {
        Replica replica = gateway.get().replica(next.get());
        if (own == null || !own.replica().equals(replica)) {
          Optional<Intent> recorded =
              intend(own(call, group, logged(subject, own), ++recordedIntents, replica));
          if (recorded.isEmpty()) {
            return unavailable("it cannot be recorded");
          }
          own = recorded.get();
        }
        if (!isOwn(own)) {
          return resume(call, own);
        }
        Outcome outcome = sendOnce(gateway.get(), own.replica(), call);
        accepting = true;
        return outcome;
      } catch (NotAcceptedException e) {
        cause = text(e);
        next = attempts.next(e.passes());
      } catch (ReplicaGoneException e) {
        cause = text(e);
        next = attempts.next(/* mayAcceptLater= */ true);
      }
      LOG.debug("Call {} of run {} was not accepted: {}", call.call(), runUid, cause);
    }
    accepting = false;
    return giveUp(
        call, own(call, group, logged(subject, own), recordedIntents + 1, Replica.NONE), cause);
  }

  /** The log has the arguments of a call once. */
  private static Subject logged(Subject subject, @Nullable Intent before) {
    return before == null ? subject : subject.withoutArguments();
  }

  /**
   * Records that the call will not be sent: code may repeat it, so that nobody who takes the run
   * over may send it.
   */
  private Outcome giveUp(GatewayCall call, Intent none, String cause) throws InterruptedException {
    Optional<Intent> recorded = intend(none);
    return recorded.isPresent() && !isOwn(recorded.get())
        ? resume(call, recorded.get())
        : unavailable(cause);
  }

  private Intent own(GatewayCall call, int group, Subject subject, int attempt, Replica replica) {
    return new Intent(
        call.call(),
        group,
        subject,
        attempt,
        replica,
        sender,
        services.clock().instant().toString());
  }

  private boolean isOwn(Intent intent) {
    return intent.process().equals(sender);
  }

  private static Outcome unavailable(String cause) {
    return Outcome.error(
        CallCode.UPSTREAM_UNAVAILABLE, "The call could not be sent: " + cause, Sent.NO);
  }

  /** Empty if the intent cannot be stored before the run ends. */
  private Optional<Intent> intend(Intent intent) throws InterruptedException {
    Backoff backoff = new Backoff(services.clock(), deadline.get());
    do {
      try {
        return Optional.of(log.intend(intent));
      } catch (IOException e) {
        LOG.debug("Call {} of run {} cannot be recorded: {}", intent.call(), runUid, e.toString());
      }
    } while (backoff.pause());
    return Optional.empty();
  }

  private Outcome sendOnce(GatewayClient gateway, Replica replica, GatewayCall call)
      throws NotAcceptedException, ReplicaGoneException, InterruptedException {
    try {
      return gateway.call(replica, call, left());
    } catch (IOException e) {
      LOG.debug("Lost the response to call {} of run {}: {}", call.call(), runUid, e.toString());
      return ask(gateway, replica, call);
    }
  }

  /**
   * Waits for the outcome of a call that an earlier request may have sent, from the process that it
   * went to. If that is gone, nobody knows it.
   */
  Outcome resume(GatewayCall call, Intent intent) throws InterruptedException {
    if (services.gateway().isEmpty()) {
      return unknown("there is no tool gateway anymore (toolGateway.enabled)");
    }
    Intent followed = intent;
    // As long as the latest one is that of another sender, that one could send the call elsewhere.
    while (!isOwn(followed) && !followed.replica().equals(Replica.NONE)) {
      Optional<Intent> recorded =
          intend(
              own(
                  call,
                  followed.group(),
                  followed.subject(),
                  followed.attempt() + 1,
                  followed.replica()));
      if (recorded.isEmpty()) {
        return unknown("it cannot be recorded");
      }
      followed = recorded.get();
    }
    return followed.replica().equals(Replica.NONE)
        ? unavailable("no replica of the tool gateway accepted it")
        : ask(services.gateway().get(), followed.replica(), call);
  }

  private Outcome ask(GatewayClient gateway, Replica replica, GatewayCall call)
      throws InterruptedException {
    Backoff beforeDeadline = new Backoff(services.clock(), deadline.get().plus(SLACK));
    Backoff beforeGone = new Backoff(services.clock(), services.clock().instant().plus(GONE_AFTER));
    String cause;
    do {
      boolean mayBeGone = false;
      try {
        return gateway.call(replica, call, left());
      } catch (ReplicaGoneException e) {
        return unknown(text(e));
      } catch (NotAcceptedException e) {
        mayBeGone = true;
        cause = text(e);
      } catch (IOException e) {
        cause = text(e);
      }
      if (mayBeGone) {
        if (!beforeGone.pause()) {
          break;
        }
      } else {
        beforeGone = new Backoff(services.clock(), services.clock().instant().plus(GONE_AFTER));
      }
    } while (beforeDeadline.pause());
    return unknown(cause);
  }

  private static Outcome unknown(String cause) {
    return Outcome.error(
        CallCode.OUTCOME_UNKNOWN,
        "The call may have been made, and its outcome is lost: " + cause,
        Sent.UNKNOWN);
  }

  private static String text(Exception failure) {
    return Objects.requireNonNullElse(failure.getMessage(), failure.toString());
  }

  private Duration left() {
    Duration left = Duration.between(services.clock().instant(), deadline.get());
    return left.compareTo(MIN_TIME) < 0 ? MIN_TIME : left;
  }
}
