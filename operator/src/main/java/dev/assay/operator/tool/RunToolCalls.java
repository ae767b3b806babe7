package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerEvent.Batch;
import dev.assay.operator.runner.RunnerEvent.ToolCall;
import dev.assay.operator.tool.CallHistory.Known;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of tools of one run: each is decided, recorded, sent and answered beside the stream of
 * its events, in which it arrives. Decisions are made one after the other, in the order of the
 * calls; those of a batch are then in flight at once.
 *
 * <p>A call is sent at most once: its intent is recorded before, and a process that finds the
 * intent of another asks where that one has sent it.
 */
public final class RunToolCalls {
  private static final Logger LOG = LoggerFactory.getLogger(RunToolCalls.class);

  private final ToolCallServices services;
  private final String namespace;
  private final String runUid;
  private final RunToolPolicy policy;
  private volatile Instant deadline;
  private final CallLog log;
  private final CallSequence sequence = new CallSequence();
  private final CallClosing closing;
  private final CallRequests requests;
  private final CallDelivery delivery;
  private final CallDispatch dispatch;
  private final CallsInFlight inFlight = new CallsInFlight();
  private final AtomicBoolean begun = new AtomicBoolean();
  private final BlockingQueue<ToolCall> waiting = new LinkedBlockingQueue<>();

  /** Guards what follows. */
  private final Object lock = new Object();

  private final Set<Future<?>> working = new HashSet<>();
  private @Nullable Batch batch;
  private Semaphore parallel = new Semaphore(1);
  private boolean over;

  /**
   * The calls of a run of which none is known yet.
   *
   * @param deadline when the run ends at the latest
   */
  RunToolCalls(
      ToolCallServices services,
      Binding binding,
      String namespace,
      String runUid,
      RunToolPolicy policy,
      Instant deadline) {
    this.services = services;
    this.namespace = namespace;
    this.runUid = runUid;
    this.policy = policy;
    this.deadline = deadline;
    this.log = new CallLog(services.outputs(), namespace, runUid);
    this.closing = new CallClosing(services, log, runUid);
    this.requests = new CallRequests(services.servers(), log, namespace, runUid, policy);
    this.delivery = new CallDelivery(services, binding, namespace, runUid, policy, sequence);
    this.dispatch = new CallDispatch(services, log, runUid, () -> this.deadline);
  }

  /** The run ends at this time at the latest. */
  public void endAt(Instant latest) {
    deadline = latest;
  }

  /**
   * Reads what processes before this one have recorded; must be called before {@link #take}.
   *
   * @throws IOException if that is not possible now
   */
  public void load() throws IOException {
    log.load();
  }

  /**
   * Takes the next call; does not wait for it.
   *
   * @throws ProtocolViolationException if a Pod must not make this call
   */
  public void take(ToolCall call) throws ProtocolViolationException {
    // The worker ends with the first one above the limit; its batch may have been sent with it.
    if (call.call() > policy.classMaxCalls() + Batch.MAX_SIZE) {
      throw new ProtocolViolationException("the code went on after its last tool call");
    }
    Optional<String> digest = log.ask(calls -> calls.digest(call.call()));
    if (call.args() != null
        && digest.filter(known -> !known.equals(CallRequests.digest(call))).isPresent()) {
      throw new ProtocolViolationException("tool call " + call.call() + " is not what it was");
    }
    sequence.take(call);
    waiting.add(call);
    if (begun.compareAndSet(false, true)) {
      work(this::decideAll);
    }
  }

  /** Until the run is over, or the operator shuts down: then the thread is interrupted. */
  private void decideAll() throws InterruptedException {
    while (true) {
      ToolCall call = waiting.take();
      try {
        decide(call);
      } catch (RuntimeException e) {
        LOG.warn("Tool call {} of run {} cannot be decided", call.call(), runUid, e);
        settleRefused(
            call,
            requests.subject(call),
            Outcome.error(CallCode.UPSTREAM_UNAVAILABLE, "The call could not be decided", Sent.NO));
      }
    }
  }

  private void decide(ToolCall call) throws InterruptedException {
    if (call.args() == null) {
      return;
    }
    Optional<Known> known = log.ask(calls -> calls.outcome(call.call()));
    if (known.isPresent()) {
      work(() -> deliverAgain(call, known.get()));
      return;
    }
    Subject subject = requests.subject(call);
    Semaphore permits = permits(call);
    Optional<Intent> intent = log.ask(calls -> calls.intent(call.call()));
    if (intent.isPresent()) {
      permits.acquire();
      work(
          () ->
              settle(
                  call, subject, () -> dispatch.resume(requests.of(call, subject), intent.get())),
          permits);
      return;
    }
    switch (decision(call)) {
      case CallPolicy.Refused refused -> settleRefused(call, subject, Outcome.refused(refused));
      case CallPolicy.Allowed unused -> {
        permits.acquire();
        inFlight.begin(call.call());
        work(
            () ->
                settle(
                    call,
                    subject,
                    () ->
                        dispatch.send(requests.of(call, subject), CallPolicy.group(call), subject)),
            permits);
      }
      case CallPolicy.Undecided unused ->
          throw new IllegalStateException("a decision that was waited for");
    }
  }

  /** Calls in flight may turn out not to be sent, so that the budget has room for this one. */
  private CallPolicy.Decision decision(ToolCall call) throws InterruptedException {
    while (true) {
      int ended = inFlight.ended();
      CallPolicy.Usage usage = log.ask(calls -> calls.usage(inFlight.count(calls.withoutEnd())));
      CallPolicy.Decision decision = CallPolicy.decide(call, policy, usage);
      if (!(decision instanceof CallPolicy.Undecided)) {
        return decision;
      }
      inFlight.awaitEndAfter(ended);
    }
  }

  private Semaphore permits(ToolCall call) {
    synchronized (lock) {
      Batch next = call.batch();
      if (next == null || !next.equals(batch)) {
        batch = next;
        delivery.beginBatch();
        parallel =
            new Semaphore(next == null ? 1 : Math.min(next.maxParallel(), policy.maxParallel()));
      }
      return parallel;
    }
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private void work(Work work, Semaphore permits) {
    work(
        () -> {
          try {
            work.run();
          } finally {
            permits.release();
          }
        });
  }

  private void work(Work work) {
    synchronized (lock) {
      if (over) {
        return;
      }
      working.removeIf(Future::isDone);
      working.add(
          services
              .threads()
              .submit(
                  () -> {
                    try {
                      work.run();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    } catch (RuntimeException e) {
                      LOG.warn("A tool call of run {} failed: {}", runUid, e.toString());
                    }
                  }));
    }
  }

  /** The Pod does not have the outcome of a call whose end is recorded. */
  private void deliverAgain(ToolCall call, Known known) throws InterruptedException {
    delivery.deliverStored(
        call.call(),
        () ->
            Outcome.error(
                known.code() == null ? CallCode.OUTCOME_UNKNOWN : known.code(),
                "The outcome of the call was received and is not stored anymore",
                known.sent()));
  }

  private void settleRefused(ToolCall call, Subject subject, Outcome refused) {
    byte[] body = record(call, subject, refused).body();
    int number = call.call();
    work(() -> delivery.deliver(number, body));
  }

  /** Has a call made, and waits for its outcome. */
  private interface Dispatch {
    Outcome run() throws InterruptedException;
  }

  private void settle(ToolCall call, Subject subject, Dispatch dispatched)
      throws InterruptedException {
    Outcome outcome;
    try {
      outcome = dispatched.run();
    } catch (RuntimeException e) {
      LOG.warn("Tool call {} of run {} failed", call.call(), runUid, e);
      outcome =
          Outcome.error(
              CallCode.OUTCOME_UNKNOWN, "The call may have been made, and failed", Sent.UNKNOWN);
    }
    Outcome stored = record(call, subject, outcome);
    inFlight.end(call.call());
    delivery.deliver(call.call(), stored.body());
  }

  /** Records an outcome, which is the one that the Pod gets, whatever happens to this process. */
  private Outcome record(ToolCall call, Subject subject, Outcome outcome) {
    Outcome fitting = delivery.fitting(outcome);
    synchronized (lock) {
      if (over && log.ask(calls -> calls.outcome(call.call())).isPresent()) {
        return fitting;
      }
      delivery.store(call.call(), fitting.body());
      log.end(closing.end(call.call(), CallPolicy.group(call), subject, fitting));
    }
    Optional<ToolServer> server = services.servers().find(namespace, call.server());
    services
        .metrics()
        .count(
            namespace,
            server.isPresent() ? call.server() : CallMetrics.UNKNOWN_SERVER,
            fitting.code(),
            fitting.sent());
    if (fitting.code() != null && fitting.code().concernsDefinition() && server.isPresent()) {
      services.servers().lookAgain(namespace, call.server());
    }
    return fitting;
  }

  /** Stops to send and to answer calls: the run has ended, or is another process's. */
  public void stop() {
    synchronized (lock) {
      over = true;
      working.forEach(work -> work.cancel(true));
      working.clear();
    }
  }

  /** How many calls there were; empty if that is unknown now. */
  public Optional<ToolCallCounts> counts() {
    return closing.counts();
  }

  /**
   * Makes the records of all calls durable, once the run has ended: those whose outcome is not
   * known included.
   *
   * @throws IOException if that is not possible now
   */
  public void finish() throws IOException {
    stop();
    synchronized (lock) {
      closing.endAll();
    }
    closing.flush();
  }

  /** The run has ended: records that, best effort, and has the gateway forget it. */
  public void end() {
    try {
      finish();
    } catch (IOException e) {
      LOG.warn("The records of tool calls of run {} may be incomplete: {}", runUid, e.toString());
    }
    closeAtGateway();
  }

  /** Has the gateway cancel what is in flight and forget the run, once the run has ended. */
  public void closeAtGateway() {
    closing.closeAtGateway();
  }
}
