package dev.assay.frontend.http;

import dev.assay.api.logging.LogContext;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.frontend.call.AuditLog;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.IdempotencyKey;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;
import dev.assay.frontend.mcp.JsonBody;
import dev.assay.frontend.rest.Answer;
import dev.assay.frontend.rest.Query;
import dev.assay.frontend.rest.RawBody;
import dev.assay.frontend.rest.RestApi;
import dev.assay.frontend.rest.RestException;
import dev.assay.frontend.rest.RestRequest;
import dev.assay.frontend.rest.Route;
import dev.assay.frontend.run.Text;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import tools.jackson.databind.json.JsonMapper;

/** {@code /api/v1}. Checks go from cheap to dear, as those of {@code /mcp} do. */
final class RestServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final Logger log = LoggerFactory.getLogger(RestServlet.class);
  private static final Gate.Browser BROWSER =
      new Gate.Browser(
          "GET, POST, PUT, DELETE",
          ", Content-Encoding, Range, If-Range, Idempotency-Key",
          "Location, Retry-After, Content-Disposition, Content-Range, ETag");

  private static final String KEY = "Idempotency-Key";

  /** The object whose state is waited for, as it was sent and as the API server returned it. */
  private static final long AWAITING_HEAP = 4L * Bounds.MAX_INLINE_BYTES;

  private static final Identity NOBODY = new Identity("", "");

  private final transient Parts parts;
  private final transient AnswerWriter answers;
  private final transient Gate gate;

  /**
   * What it is made of.
   *
   * @param gate of all endpoints
   * @param slots of lasting methods
   * @param replies memory for the answers to others
   * @param heartbeat longest silence of a JSON answer that is not ready
   */
  record Parts(
      Gate.Parts gate,
      RestApi api,
      JsonMapper json,
      Slots slots,
      ReplyMemory replies,
      Duration heartbeat) {}

  RestServlet(Parts parts) {
    this.parts = parts;
    this.answers = new AnswerWriter(parts.json, parts.heartbeat);
    this.gate = new Gate(parts.gate, BROWSER, this::refuse);
  }

  /** A refusal before the body was read: its rest is not waited for. */
  private void refuse(HttpServletResponse response, int status, String message) throws IOException {
    response.setHeader("Connection", "close");
    answers.error(response, status, message);
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try (LogContext _ = LogContext.open().trace(Gate.traceId(request))) {
      findOrFail(request, response);
    }
  }

  /** Within the context of the request, which the line of a failure has, too. */
  @SuppressWarnings("CatchingUnchecked") // The servlet container would show the failure.
  private void findOrFail(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      if (gate.isOpen(request, response)) {
        find(request, response);
      }
    } catch (RuntimeException e) {
      boolean brokenOff = e instanceof Answer.BrokenOffException;
      if (brokenOff) {
        log.info("an answer was aborted: {}", e.getMessage());
      } else {
        log.error("a request failed", e);
      }
      if (response.isCommitted()) {
        throw e; // Breaks the connection: what was written is no whole answer.
      }
      response.reset();
      refuse(
          response,
          brokenOff ? 503 : 500,
          "Internal server error; the request may have taken effect");
    }
  }

  private void find(HttpServletRequest request, HttpServletResponse response) throws IOException {
    switch (parts.api.match(method(request), request.getServletPath() + pathInfo(request))) {
      case RestApi.NotFound notFound ->
          gate.refuse(
              request, response, 404, "Not found; GET /api/v1/openapi.json describes all paths");
      case RestApi.OtherMethods other -> {
        String methods = String.join(", ", other.methods());
        response.setHeader("Allow", methods);
        gate.refuse(request, response, 405, "This path supports " + methods);
      }
      case RestApi.Found found -> admit(found, request, response);
    }
  }

  /** The server sends no body with the answer to HEAD, which is else that to GET. */
  private static String method(HttpServletRequest request) {
    return isHead(request) ? "GET" : request.getMethod();
  }

  static boolean isHead(HttpServletRequest request) {
    return "HEAD".equals(request.getMethod());
  }

  private static String pathInfo(HttpServletRequest request) {
    @Nullable String info = request.getPathInfo();
    return info == null ? "" : info;
  }

  private void admit(RestApi.Found found, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Route.Requirements needs = found.route().requirements();
    Identity identity = needs.key() ? gate.identity(request, response) : NOBODY;
    if (identity == null || (needs.body() == Route.Body.JSON && !gate.isJson(request, response))) {
      return;
    }
    if (found.route().createsRuns() && Gate.isCallOfRun(request)) {
      gate.refuse(request, response, 403, Gate.NO_RUN_BY_RUN);
      return;
    }
    if (found.route().createsRuns() && !key(request).map(IdempotencyKey::isValid).orElse(true)) {
      gate.refuse(request, response, 400, KEY + " " + IdempotencyKey.RULE);
      return;
    }
    try (LogContext _ = LogContext.open().caller(identity.caller())) {
      receive(found, identity, request, response);
    }
  }

  private void receive(
      RestApi.Found found,
      Identity identity,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    try (RequestMemory.Share share = gate.share(identity)) {
      receive(found, identity, share, request, response);
    }
  }

  private void receive(
      RestApi.Found found,
      Identity identity,
      RequestMemory.Share share,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    Route.Requirements needs = found.route().requirements();
    Map<String, Object> members = Map.of();
    long heap = needs.heapBytes();
    if (needs.body() == Route.Body.JSON) {
      byte[] body = gate.body(request, response, identity, share);
      if (body == null) {
        return;
      }
      switch (JsonBody.read(body, parts.json)) {
        case JsonBody.Members read -> {
          members = read.values();
          heap += read.heapBytes();
        }
        case JsonBody.NoObject other -> {
          answers.error(response, 400, "The body must be one JSON object");
          return;
        }
        case JsonBody.Unreadable unreadable -> {
          answers.error(response, 400, unreadable.why());
          return;
        }
      }
    }
    SharedQuota.Decision decision = share.hold(heap);
    if (decision != SharedQuota.Decision.GRANTED) {
      gate.tooMany(request, response, RefusedBy.REQUEST_MEMORY, Gate.noMemory(decision));
      return;
    }
    MethodKind kind = needs.kind().apply(members);
    Optional<String> refusal = parts.slots.take(kind, identity);
    if (refusal.isPresent()) {
      gate.tooMany(request, response, RefusedBy.SLOTS, refusal.get());
      return;
    }
    try {
      if (kind.isLasting() || !needs.key()) {
        serve(found, kind, identity, members, share, request, response);
      } else {
        Map<String, Object> fields = members;
        refusal =
            parts.replies.sendQuick(
                identity, () -> serve(found, kind, identity, fields, share, request, response));
        if (refusal.isPresent()) {
          gate.tooMany(request, response, RefusedBy.REPLY_MEMORY, refusal.get());
        }
      }
    } finally {
      parts.slots.give(kind, identity);
    }
  }

  private void serve(
      RestApi.Found found,
      MethodKind kind,
      Identity identity,
      Map<String, Object> members,
      RequestMemory.Share share,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    if (found.route().requirements().body() == Route.Body.RAW) {
      try (AwaitedBody body = new AwaitedBody(request)) {
        Optional<RawBody> raw = Optional.of(rawBody(request, body));
        serve(found, kind, identity, members, raw, share, request, response);
      }
    } else {
      serve(found, kind, identity, members, Optional.empty(), share, request, response);
    }
  }

  private void serve(
      RestApi.Found found,
      MethodKind kind,
      Identity identity,
      Map<String, Object> members,
      Optional<RawBody> raw,
      RequestMemory.Share share,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    try (ReplyMemory.Share reply = parts.replies.share(identity)) {
      serve(found, kind, identity, members, raw, share, reply, request, response);
    }
  }

  private void serve(
      RestApi.Found found,
      MethodKind kind,
      Identity identity,
      Map<String, Object> members,
      Optional<RawBody> raw,
      RequestMemory.Share share,
      ReplyMemory.Share reply,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    String requestId = UUID.randomUUID().toString();
    Route route = found.route();
    boolean isAnswered = false;
    try {
      Query query = Query.of(request.getQueryString(), route.parameters());
      Answer answer =
          parts.api.answer(
              route,
              new RestRequest(
                  identity,
                  requestId,
                  found.name(),
                  found.path(),
                  query,
                  members,
                  raw,
                  conditions(request),
                  route.createsRuns() ? key(request).map(IdempotencyKey::new) : Optional.empty(),
                  memory(reply),
                  Gate.traceId(request)));
      if (answer.isLasting() && !kind.isLasting()) {
        throw new IllegalStateException(route + " has no slot for an answer that takes its time");
      }
      if (answer instanceof Answer.Awaited && !members.isEmpty()) {
        members.clear();
        share.keep(AWAITING_HEAP);
      }
      if (isHead(request) && answer instanceof Answer.Pieces) {
        answer =
            new Answer.Pieces(
                (sink, cancellation) -> {}, false); // Its length is not known before it is read.
      }
      if (isHead(request) && answer instanceof Answer.File file) {
        answer =
            new Answer.File(
                file.status(), file.headers(), file.length(), (sink, cancellation) -> {});
      }
      answers.write(answer, request, response);
      isAnswered = true;
    } catch (RestException e) {
      if (response.isCommitted()) {
        throw new Answer.BrokenOffException(e.text());
      }
      if (e.status() == 503 || e.status() == 429) {
        response.setHeader("Retry-After", "1");
      }
      if (raw.isPresent()) {
        gate.refuse(request, response, e.status(), e.text());
      } else {
        answers.error(response, e.status(), e.text());
      }
      isAnswered = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Answer.BrokenOffException("this endpoint is being shut down");
    } finally {
      audit(
          found, identity, requestId, request, isAnswered ? response.getStatus() : null, response);
    }
  }

  /**
   * Who polls would fill the log.
   *
   * @param status of the response; null where it was broken off, and the request may have taken
   *     effect
   */
  private static void audit(
      RestApi.Found found,
      Identity identity,
      String requestId,
      HttpServletRequest request,
      @Nullable Integer status,
      HttpServletResponse response) {
    Route route = found.route();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("request", requestId);
    fields.put("trace", Gate.traceId(request));
    fields.put("caller", identity.caller());
    fields.put("namespace", identity.namespace());
    fields.put("rest", route.method() + " " + route.template());
    fields.put("name", found.name().isEmpty() ? null : Text.oneLine(found.name(), 253));
    // Of what it has created.
    fields.put("location", response.getHeader("Location"));
    fields.put("status", status);
    AuditLog.write("GET".equals(route.method()) ? Level.DEBUG : Level.INFO, fields);
  }

  /** What is waited for gives the memory of its request back before. */
  private static CallMemory memory(ReplyMemory.Share reply) {
    return new CallMemory() {
      @Override
      public void releaseRequest(long bytes) {
        // The answer to come has it already.
      }

      @Override
      public boolean reserveReply(long bytes) throws InterruptedException {
        return reply.reserve(bytes);
      }
    };
  }

  private static Optional<String> key(HttpServletRequest request) {
    return Optional.ofNullable(request.getHeader(KEY));
  }

  private static RestRequest.Conditions conditions(HttpServletRequest request) {
    return new RestRequest.Conditions(
        Optional.ofNullable(request.getHeader("Range")),
        Optional.ofNullable(request.getHeader("If-Range")));
  }

  private static RawBody rawBody(HttpServletRequest request, AwaitedBody body) {
    ContentType type = ContentType.of(request);
    return new RawBody(
        type.mediaType(),
        type.charset(),
        Optional.ofNullable(request.getHeader("Content-Encoding"))
            .map(encoding -> encoding.strip().toLowerCase(Locale.ROOT)),
        request.getContentLengthLong(),
        body.stream(),
        body.cancellation());
  }
}
