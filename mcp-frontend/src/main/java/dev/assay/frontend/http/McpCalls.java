package dev.assay.frontend.http;

import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallKey;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.IdempotencyKey;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.mcp.Message;
import dev.assay.frontend.mcp.RpcError;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * Requests of the protocol from their admission to their answer: at once, or in a slot of their
 * own, as JSON that may take its time or as a stream of events.
 */
final class McpCalls {
  private final McpServlet.Parts parts;
  private final Answers answers;

  McpCalls(McpServlet.Parts parts, Answers answers) {
    this.parts = parts;
    this.answers = answers;
  }

  /** Refuses a request for which there is no room at the moment. */
  void busy(HttpServletResponse response, Object id, RefusedBy limit, String message)
      throws IOException {
    parts.gate().metrics().refused(limit);
    response.setHeader("Retry-After", "1");
    answers.error(response, Gate.TOO_MANY_REQUESTS, id, new RpcError(RpcError.SERVER, message));
  }

  /** Answers a request whose memory has been granted. */
  void serve(
      Message.Request message,
      McpCaller caller,
      HttpServletResponse response,
      RequestMemory.Share share)
      throws IOException {
    if (parts.endpoint().createsRuns(message)) {
      Optional<String> wrong = wrongCreation(message, caller);
      if (wrong.isPresent()) {
        answers.error(
            response, 200, message.id(), new RpcError(RpcError.INVALID_PARAMS, wrong.get()));
        return;
      }
    }
    CallKey key = new CallKey(caller.identity(), caller.session(), CallKey.idOf(message.id()));
    if ("initialize".equals(message.method())) {
      response.setHeader(McpServlet.SESSION, UUID.randomUUID().toString());
    }
    MethodKind kind = parts.endpoint().kindOf(message);
    if (!kind.isLasting()) {
      answerAtOnce(message, key, caller, response, share);
      return;
    }
    Optional<String> refusal = parts.slots().take(kind, caller.identity());
    if (refusal.isPresent()) {
      busy(response, message.id(), RefusedBy.SLOTS, refusal.get());
      return;
    }
    Cancellation cancellation = new Cancellation();
    CallsInFlight.Registration registration = parts.inFlight().register(key, cancellation);
    try {
      call(message, key, cancellation, caller, response, share);
    } finally {
      registration.close();
      parts.slots().give(kind, caller.identity());
    }
  }

  private static Optional<String> wrongCreation(Message.Request message, McpCaller caller) {
    if (caller.isRun() || message.isCallOfRun()) {
      return Optional.of(Gate.NO_RUN_BY_RUN);
    }
    return message.idempotencyKey() == null || keyOf(message).isPresent()
        ? Optional.empty()
        : Optional.of(
            "'" + Message.Request.IDEMPOTENCY_KEY + "' of '_meta' " + IdempotencyKey.RULE);
  }

  private static Optional<IdempotencyKey> keyOf(Message.Request message) {
    return message.idempotencyKey() instanceof String text && IdempotencyKey.isValid(text)
        ? Optional.of(new IdempotencyKey(text))
        : Optional.empty();
  }

  private void answerAtOnce(
      Message.Request message,
      CallKey key,
      McpCaller caller,
      HttpServletResponse response,
      RequestMemory.Share share)
      throws IOException {
    Cancellation cancellation = new Cancellation();
    CallContext context =
        context(message, key, caller, Progress.NONE, cancellation, CallMemory.UNCOUNTED);
    ReplyMemory.Reply reply =
        caller.accepts().json()
            ? () ->
                answers.json(
                    response, 200, parts.endpoint().answer(message, context, caller.groups()))
            : () -> call(message, key, cancellation, caller, response, share);
    Optional<String> refusal = parts.replies().sendQuick(key.identity(), reply);
    if (refusal.isPresent()) {
      busy(response, message.id(), RefusedBy.REPLY_MEMORY, refusal.get());
    }
  }

  private void call(
      Message.Request message,
      CallKey key,
      Cancellation cancellation,
      McpCaller caller,
      HttpServletResponse response,
      RequestMemory.Share share)
      throws IOException {
    try (ReplyMemory.Share reply = parts.replies().share(caller.identity())) {
      call(message, key, cancellation, caller, response, memory(message, share, reply));
    }
  }

  private static CallMemory memory(
      Message.Request message, RequestMemory.Share request, ReplyMemory.Share reply) {
    return new CallMemory() {
      @Override
      public void releaseRequest(long bytes) {
        message.forgetParams();
        request.keep(bytes);
      }

      @Override
      public boolean reserveReply(long bytes) throws InterruptedException {
        return reply.reserve(bytes);
      }
    };
  }

  private void call(
      Message.Request message,
      CallKey key,
      Cancellation cancellation,
      McpCaller caller,
      HttpServletResponse response,
      CallMemory memory)
      throws IOException {
    Object progressToken = message.progressToken();
    boolean stream =
        caller.accepts().stream() && (progressToken != null || !caller.accepts().json());
    // Who can repeat the request comes back for its result.
    Runnable onDisconnect =
        caller.disconnectCancels() && keyOf(message).isEmpty()
            ? () -> cancellation.cancel(Cancellation.Cause.DISCONNECTED)
            : cancellation::abandon;
    if (stream) {
      parts.gate().metrics().streamBegins();
      try (SseStream events =
          new SseStream(response, parts.json(), progressToken, parts.heartbeat(), onDisconnect)) {
        Object answer =
            parts
                .endpoint()
                .answer(
                    message,
                    context(message, key, caller, events, cancellation, memory),
                    caller.groups());
        if (!cancellation.isCancelled()) {
          events.respond(answer);
        }
      } finally {
        parts.gate().metrics().streamEnds();
      }
    } else {
      try (JsonReply reply =
          new JsonReply(response, 200, parts.json(), parts.heartbeat(), onDisconnect)) {
        Object answer =
            parts
                .endpoint()
                .answer(
                    message,
                    context(message, key, caller, Progress.NONE, cancellation, memory),
                    caller.groups());
        if (cancellation.isCancelled()) {
          reply.respondCancelled(answer);
        } else {
          reply.respond(answer);
        }
      }
    }
  }

  private static CallContext context(
      Message.Request message,
      CallKey key,
      McpCaller caller,
      Progress progress,
      Cancellation cancellation,
      CallMemory memory) {
    String known = key.requestId();
    return new CallContext(
        key.identity(),
        known == null ? UUID.randomUUID().toString() : known,
        progress,
        cancellation,
        memory,
        keyOf(message),
        caller.traceId());
  }
}
