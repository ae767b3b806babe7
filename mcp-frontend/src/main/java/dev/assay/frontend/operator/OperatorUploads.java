package dev.assay.frontend.operator;

import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.dataset.UploadRelay;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
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
    HttpRequest.BodyPublisher bytes =
        upload.bytes() == 0
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(() -> body), upload.bytes());
    HttpRequest request =
        operator
            .request(
                "/internal/v1/namespaces/%s/datasets/%s/uploads/%s"
                    .formatted(namespace, datasetUid, upload.id()))
            .timeout(SLACK.plusSeconds(upload.bytes() / MIN_BYTES_PER_SECOND))
            .PUT(bytes)
            .build();
    try {
      HttpResponse<Void> response =
          operator.http().send(request, HttpResponse.BodyHandlers.discarding());
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
      // The caller may be gone as well as the operator.
      log.info("an upload to dataset {} broke off: {}", datasetUid, e.toString());
      return Relayed.UNREACHABLE;
    }
  }
}
