package dev.assay.frontend.operator;

import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.dataset.UploadRelay;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends uploads to the operator's internal endpoint, as they come. */
public final class OperatorUploads implements UploadRelay {
  private static final Logger log = LoggerFactory.getLogger(OperatorUploads.class);

  /** Longer than the operator itself waits; it tells why it does not wait any more. */
  private static final Duration SLACK = Duration.ofMinutes(5);

  private static final long MIN_BYTES_PER_SECOND = 64 * 1024;

  private final OperatorClient operator;

  public OperatorUploads(OperatorClient operator) {
    this.operator = operator;
  }

  @Override
  public Relayed send(String namespace, String datasetUid, UploadSource upload, InputStream body)
      throws InterruptedException {
    AtomicBoolean bodyRead = new AtomicBoolean();
    HttpRequest request = request(namespace, datasetUid, upload, body, bodyRead);
    try {
      HttpResponse<Void> response = send(request, bodyRead);
      return switch (response.statusCode()) {
        case 204 -> Relayed.TAKEN;
        case 404, 409 -> Relayed.NOT_EXPECTED;
        case 400, 502 -> Relayed.FAILED;
        default -> {
          log.warn("the operator answered an upload with {}", response.statusCode());
          yield Relayed.UNREACHABLE;
        }
      };
    } catch (IOException e) {
      if (bodyRead.get()) {
        // The caller may be gone as well as the operator.
        log.info("an upload to dataset {} broke off: {}", datasetUid, e.toString());
      } else {
        log.warn(
            "an upload to dataset {} cannot be sent to the operator: {}", datasetUid, e.toString());
      }
      return Relayed.UNREACHABLE;
    }
  }

  private HttpRequest request(
      String namespace,
      String datasetUid,
      UploadSource upload,
      InputStream body,
      AtomicBoolean bodyRead) {
    HttpRequest.BodyPublisher bytes =
        upload.bytes() == 0
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(
                    () -> {
                      bodyRead.set(true);
                      return body;
                    }),
                upload.bytes());
    return operator
        .request(
            "/internal/v1/namespaces/%s/datasets/%s/uploads/%s"
                .formatted(namespace, datasetUid, upload.id()))
        .timeout(SLACK.plusSeconds(upload.bytes() / MIN_BYTES_PER_SECOND))
        // So that a connection that the operator has closed fails before the body is read.
        .expectContinue(upload.bytes() > 0)
        .PUT(bytes)
        .build();
  }

  /** Retries once if a pooled connection was closed before any byte of the body was sent. */
  private HttpResponse<Void> send(HttpRequest request, AtomicBoolean bodyRead)
      throws IOException, InterruptedException {
    HttpClient http = operator.http();
    try {
      return http.send(request, HttpResponse.BodyHandlers.discarding());
    } catch (HttpTimeoutException | ConnectException e) {
      throw e;
    } catch (IOException e) {
      if (bodyRead.get() || !request.expectContinue()) {
        throw e;
      }
      return http.send(request, HttpResponse.BodyHandlers.discarding());
    }
  }
}
