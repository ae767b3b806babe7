package dev.assay.operator.tool;

import dev.assay.api.digest.Sha256;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is left to do for the calls of a run that ends. */
final class CallClosing {
  private static final Logger LOG = LoggerFactory.getLogger(CallClosing.class);
  private static final int MAX_ATTEMPTS = 3;
  private static final String UNKNOWN_AT_END =
      "The execution ended before the outcome of the call was known";

  private final ToolCallServices services;
  private final CallLog log;
  private final String runUid;

  CallClosing(ToolCallServices services, CallLog log, String runUid) {
    this.services = services;
    this.log = log;
    this.runUid = runUid;
  }

  /** The record of an outcome that is known now. */
  End end(int call, int group, Subject subject, Outcome outcome) {
    return new End(
        call,
        group,
        subject.withoutArguments(),
        outcome.code(),
        outcome.sent(),
        outcome.body().length,
        Sha256.hex(outcome.body()),
        outcome.millis(),
        services.clock().instant().toString());
  }

  /**
   * How many calls there were; empty if that is unknown now. Those whose outcome is not known count
   * as sent.
   */
  Optional<ToolCallCounts> counts() {
    try {
      log.load();
    } catch (IOException e) {
      LOG.warn("The tool calls of run {} cannot be counted: {}", runUid, e.toString());
      return Optional.empty();
    }
    return Optional.of(log.counts());
  }

  /**
   * Records that the outcomes of the calls that have none will not be known.
   *
   * @throws IOException if it is unknown now which calls there were
   */
  void endAll() throws IOException {
    log.load();
    for (Intent intent : log.ask(CallHistory::unended)) {
      Outcome unknown = Outcome.error(CallCode.OUTCOME_UNKNOWN, UNKNOWN_AT_END, Sent.UNKNOWN);
      log.end(end(intent.call(), intent.group(), intent.subject(), unknown));
    }
  }

  /** Makes all records durable. */
  void flush() throws IOException {
    log.flush();
  }

  /**
   * Has the gateway cancel what is in flight and forget the run, where its calls were sent, on
   * threads of their own. It forgets the run later in any case.
   */
  void closeAtGateway() {
    Set<String> addresses = log.ask(CallHistory::addresses);
    services
        .gateway()
        .ifPresent(
            gateway ->
                addresses.forEach(
                    address -> services.threads().execute(() -> close(gateway, address))));
  }

  private void close(GatewayClient gateway, String address) {
    try {
      Backoff backoff = new Backoff(services.clock(), Instant.MAX);
      for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        try {
          gateway.close(address, runUid);
          return;
        } catch (IOException e) {
          LOG.debug("Run {} is not closed at {}: {}", runUid, address, e.toString());
        }
        boolean unused = backoff.pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
