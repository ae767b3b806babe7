package dev.assay.gateway.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.metrics.UpstreamMetrics;
import dev.assay.gateway.upstream.RefusedCallException;
import dev.assay.gateway.upstream.ToolCall;
import dev.assay.gateway.upstream.ToolReply;
import dev.assay.gateway.upstream.UpstreamException;
import dev.assay.gateway.upstream.Upstreams;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the calls of runs, and records each in the log and in the counts. */
public final class Calls {
  private static final Logger LOG = LoggerFactory.getLogger(Calls.class);

  private final ToolServerSource servers;
  private final Upstreams upstreams;
  private final CallTable table;
  private final UpstreamMetrics metrics;
  private final CallLogger log = new CallLogger();
  private final Clock clock;

  /** Makes calls of the servers of a source. */
  public Calls(
      ToolServerSource servers,
      Upstreams upstreams,
      CallTable table,
      UpstreamMetrics metrics,
      Clock clock) {
    this.servers = servers;
    this.upstreams = upstreams;
    this.table = table;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** The outcome of a call, made once; empty if its number belongs to another call. */
  public Optional<CompletableFuture<CallReply>> call(String run, int number, CallRequest request) {
    return table.call(
        run,
        number,
        request.digest(),
        new ServerKey(request.namespace(), request.server()),
        new Call(run, number, request));
  }

  /** Cancels the calls of a run, and closes its sessions. */
  public void close(String run) {
    table.close(run);
    upstreams.closeRun(run);
  }

  /** A call that is made now. */
  private final class Call implements CallTable.Dispatch {
    private final String run;
    private final int number;
    private final CallRequest request;
    private final Instant began = clock.instant();

    Call(String run, int number, CallRequest request) {
      this.run = run;
      this.number = number;
      this.request = request;
    }

    @Override
    public CallReply make() {
      CallReply outcome = outcome(run, request, began);
      boolean isKnown = outcome.code() != CallCode.SERVER_NOT_FOUND;
      metrics.count(
          isKnown ? request.namespace() + "/" + request.server() : UpstreamMetrics.UNKNOWN_SERVER,
          outcome.ok() ? UpstreamMetrics.OK : String.valueOf(outcome.code()),
          outcome.millis());
      return outcome;
    }

    @Override
    public void made(CallReply outcome) {
      log.write(began, run, number, request, request.arguments().getBytes(UTF_8).length, outcome);
    }
  }

  private CallReply outcome(String run, CallRequest request, Instant began) {
    try {
      if (!request.argumentsAreAnObject()) {
        return failed(CallCode.INVALID_ARGS, "args must be a JSON object.", Sent.NO, began);
      }
      ToolReply reply =
          upstreams.call(
              request.server(),
              () -> servers.find(request.namespace(), request.server()),
              new ToolCall(
                  run,
                  request.tool(),
                  request.arguments(),
                  request.approved(),
                  request.permissions(),
                  request.resultBytes(),
                  request.deadline()));
      long millis = since(began);
      return reply.isError()
          ? CallReply.failed(
              CallCode.UPSTREAM_ERROR,
              reply.text().isEmpty() ? "The tool reports an error." : reply.text(),
              Sent.YES,
              millis,
              reply.raw())
          : new CallReply(
              true,
              reply.value(),
              reply.raw(),
              null,
              null,
              Sent.YES,
              millis,
              reply.dealsWithOpenWorld());
    } catch (RefusedCallException e) {
      return failed(e.refusal().code(), e.refusal().message(), Sent.NO, began);
    } catch (UpstreamException e) {
      return failed(e.code(), String.valueOf(e.getMessage()), e.sent(), began);
    } catch (KubernetesClientException e) {
      // Thrown where the tool server or its Secret is read, before anything is sent.
      LOG.warn("The API server failed: {}", e.getMessage());
      return failed(
          CallCode.UPSTREAM_UNAVAILABLE,
          "The Kubernetes API cannot be asked about the tool server now.",
          Sent.NO,
          began);
    } catch (InterruptedException e) {
      return failed(
          CallCode.OUTCOME_UNKNOWN, "The run ended before the call did.", Sent.UNKNOWN, began);
    }
  }

  private CallReply failed(CallCode code, String message, Sent sent, Instant began) {
    return CallReply.failed(code, message, sent, since(began), null);
  }

  private long since(Instant began) {
    return Duration.between(began, clock.instant()).toMillis();
  }
}
