package dev.assay.frontend.operator;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ToolCallPage;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads whole output, values, artifacts and records from the operator's internal endpoint, bounded
 * in time and size.
 */
public final class OperatorOutputs implements OutputStore {
  private static final Logger log = LoggerFactory.getLogger(OperatorOutputs.class);
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final OperatorClient operator;
  private final Duration timeout;

  /**
   * A reader.
   *
   * @param timeout of one read, from the first byte sent to the last received
   */
  public OperatorOutputs(OperatorClient operator, Duration timeout) {
    this.operator = operator;
    this.timeout = timeout;
  }

  @Override
  public Stored read(String namespace, String runUid, long offset, int maxBytes)
      throws InterruptedException {
    return read(
        runUid,
        "/internal/v1/namespaces/%s/runs/%s/output?offset=%d".formatted(namespace, runUid, offset),
        "application/octet-stream",
        maxBytes);
  }

  @Override
  public Stored readValue(String namespace, String runUid) throws InterruptedException {
    return read(
        runUid,
        "/internal/v1/namespaces/%s/runs/%s/value".formatted(namespace, runUid),
        "application/json",
        Bounds.MAX_VALUE_BYTES);
  }

  @Override
  public Stored readArtifact(String namespace, String runUid, int number, long offset, int maxBytes)
      throws InterruptedException {
    return read(
        runUid,
        "/internal/v1/namespaces/%s/runs/%s/artifacts/%d?offset=%d&length=%d"
            .formatted(namespace, runUid, number, offset, maxBytes),
        "application/octet-stream",
        maxBytes);
  }

  @Override
  public Stored readDefinition(String namespace, String digest) throws InterruptedException {
    return read(
        digest,
        "/internal/v1/namespaces/%s/tool-definitions/%s".formatted(namespace, digest),
        "application/json",
        MAX_DEFINITION_BYTES + 1);
  }

  @Override
  public StoredCalls readCalls(String namespace, String runUid, int after, int limit)
      throws InterruptedException {
    return get(
        runUid,
        "/internal/v1/namespaces/%s/runs/%s/calls".formatted(namespace, runUid),
        "application/x-ndjson",
        () ->
            BodySubscribers.mapping(
                new CallLines(new ToolCallPage(after, limit)), calls -> (StoredCalls) calls),
        new Absent(),
        missing -> missing);
  }

  private Stored read(String runUid, String path, String mediaType, int maxBytes)
      throws InterruptedException {
    return get(
        runUid,
        path,
        mediaType,
        () -> BodySubscribers.mapping(new FirstBytes(maxBytes), bytes -> (Stored) new Bytes(bytes)),
        new Absent(),
        missing -> missing);
  }

  /**
   * Reads something.
   *
   * @param body takes it
   * @param absent the result where it is not stored
   * @param missing makes a result where the endpoint cannot be asked
   */
  private <T> T get(
      String subject,
      String path,
      String mediaType,
      Supplier<BodySubscriber<T>> body,
      T absent,
      Function<Missing, T> missing)
      throws InterruptedException {
    HttpRequest request =
        operator.request(path).timeout(timeout).header("Accept", mediaType).build();
    CompletableFuture<HttpResponse<T>> answer =
        operator
            .http()
            .sendAsync(
                request,
                head -> head.statusCode() == OK ? body.get() : BodySubscribers.replacing(absent));
    try {
      HttpResponse<T> response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return switch (response.statusCode()) {
        case OK, NOT_FOUND -> response.body();
        default -> missing.apply(missing(subject, "it answered " + response.statusCode()));
      };
    } catch (TimeoutException e) {
      return missing.apply(
          missing(subject, "it did not answer within " + timeout.toSeconds() + " s"));
    } catch (ExecutionException e) {
      return missing.apply(missing(subject, String.valueOf(e.getCause())));
    } finally {
      answer.cancel(true);
    }
  }

  private static Missing missing(String subject, String why) {
    log.warn("the operator's endpoint gave nothing of {}: {}", subject, why);
    return new Missing("the output store could not be reached");
  }
}
