package dev.assay.frontend.operator;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.ReloadingFile;
import dev.assay.frontend.run.OutputStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads whole output from the operator's internal endpoint. Follows no redirect, and is bounded in
 * time and size.
 */
public final class OperatorOutputs implements OutputStore {
  private static final Logger log = LoggerFactory.getLogger(OperatorOutputs.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final URI url;
  private final Duration timeout;
  private final @Nullable ReloadingFile<String> token;
  private final @Nullable ReloadingFile<HttpClient> trustingClient;
  private final HttpClient plainClient;

  /**
   * A client.
   *
   * @param timeout of one read, from the first byte sent to the last received
   * @throws InvalidConfigException where the CA's or the token's file cannot be used
   */
  public OperatorOutputs(FrontEndConfig.Operator config, Duration timeout) {
    this.url = config.url();
    this.timeout = timeout;
    this.plainClient = builder().build();
    Path caFile = config.caFile();
    this.trustingClient =
        caFile == null
            ? null
            : new ReloadingFile<>(
                caFile, file -> builder().sslContext(Trust.inCertificatesOf(file)).build());
    Path tokenFile = config.tokenFile();
    this.token =
        tokenFile == null ? null : new ReloadingFile<>(tokenFile, OperatorOutputs::readToken);
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT_TIMEOUT);
  }

  private static String readToken(Path file) {
    try {
      String token = Files.readString(file, US_ASCII).strip();
      if (!token.matches("[\\x21-\\x7e]+")) {
        throw new InvalidConfigException(file + ": is not one line with a token");
      }
      return token;
    } catch (IOException e) {
      throw new InvalidConfigException(file + ": cannot be read: " + e.getMessage());
    }
  }

  @Override
  public Stored read(String namespace, String runUid, long offset, int maxBytes)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                url.resolve(
                    "/internal/v1/namespaces/"
                        + namespace
                        + "/runs/"
                        + runUid
                        + "/output?offset="
                        + offset))
            .timeout(timeout)
            .header("Accept", "application/octet-stream");
    if (token != null) {
      request.header("Authorization", "Bearer " + token.get());
    }
    HttpClient client = trustingClient == null ? plainClient : trustingClient.get();
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(
            request.build(),
            head ->
                head.statusCode() == OK
                    ? new FirstBytes(maxBytes)
                    : HttpResponse.BodySubscribers.replacing(new byte[0]));
    try {
      HttpResponse<byte[]> response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return switch (response.statusCode()) {
        case OK -> new Bytes(response.body());
        case NOT_FOUND -> new Absent();
        default -> missing(runUid, "it answered " + response.statusCode());
      };
    } catch (TimeoutException e) {
      return missing(runUid, "it did not answer within " + timeout.toSeconds() + " s");
    } catch (ExecutionException e) {
      return missing(runUid, String.valueOf(e.getCause()));
    } finally {
      answer.cancel(true);
    }
  }

  private static Missing missing(String runUid, String why) {
    log.warn("the operator's endpoint gave no output of run {}: {}", runUid, why);
    return new Missing("the output store could not be reached");
  }
}
