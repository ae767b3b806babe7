package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Supplier;

/** Builds the signed requests of the runner protocol. */
final class SignedRequests {
  private static final byte[] PREFIX = "assay-runner/v1\n".getBytes(UTF_8);

  /**
   * No code starts on a node whose clock is ahead by more than this. It need not be short: a
   * signature is valid in one process of a supervisor only, and a start that comes again starts
   * nothing.
   */
  private static final Duration SIGNATURE_AGE = Duration.ofMinutes(10);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Clock clock;

  SignedRequests(Clock clock) {
    this.clock = clock;
  }

  /** What is signed of a request; further members are added to it. */
  ObjectNode body(Binding binding, String op) {
    return JSON.createObjectNode()
        .put("op", op)
        .put("namespace", binding.namespace())
        .put("runUid", binding.runUid())
        .put("podUid", binding.podUid())
        .put("nonce", binding.nonce())
        .put("notAfter", clock.instant().plus(SIGNATURE_AGE).toEpochMilli());
  }

  /**
   * A request whose body is what was signed.
   *
   * @param timeout for the headers of the response
   */
  static HttpRequest post(Binding binding, ObjectNode body, Duration timeout) {
    byte[] bytes = write(body);
    return signed(binding, body, bytes)
        .timeout(timeout)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofByteArray(bytes))
        .build();
  }

  /**
   * A request whose body is a stream of bytes; what was signed is in a header.
   *
   * @param bytes the length of the stream
   * @param content called once, if the Pod accepts the request
   */
  static HttpRequest.Builder put(
      Binding binding, ObjectNode head, long bytes, Supplier<InputStream> content) {
    byte[] signed = write(head);
    return signed(binding, head, signed)
        .header("Assay-Request", Base64.getEncoder().encodeToString(signed))
        // So that a refusal is received before the first byte is sent.
        .expectContinue(bytes > 0)
        .PUT(
            bytes == 0
                ? BodyPublishers.noBody()
                : BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(content), bytes));
  }

  private static HttpRequest.Builder signed(Binding binding, ObjectNode body, byte[] bytes) {
    byte[] signed = new byte[PREFIX.length + bytes.length];
    System.arraycopy(PREFIX, 0, signed, 0, PREFIX.length);
    System.arraycopy(bytes, 0, signed, PREFIX.length, bytes.length);
    return HttpRequest.newBuilder(binding.address().resolve("/v1/" + body.path("op").asText()))
        .header("Assay-Key-Id", binding.key().id())
        .header("Assay-Signature", Base64.getEncoder().encodeToString(binding.key().sign(signed)));
  }

  private static byte[] write(ObjectNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A request could not be serialized", e);
    }
  }
}
