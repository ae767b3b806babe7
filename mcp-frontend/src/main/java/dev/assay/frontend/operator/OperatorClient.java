package dev.assay.frontend.operator;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.ReloadingFile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The way to the operator's internal endpoint: whom to trust, and how to say who asks. Follows no
 * redirect.
 */
public final class OperatorClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final URI url;
  private final @Nullable ReloadingFile<String> token;
  private final @Nullable ReloadingFile<HttpClient> trustingClient;
  private final HttpClient plainClient;

  /**
   * A client.
   *
   * @throws InvalidConfigException where the CA's or the token's file cannot be used
   */
  public OperatorClient(FrontEndConfig.Operator config) {
    this.url = config.url();
    this.plainClient = builder().build();
    Path caFile = config.caFile();
    this.trustingClient =
        caFile == null
            ? null
            : new ReloadingFile<>(
                caFile, file -> builder().sslContext(Trust.inCertificatesOf(file)).build());
    Path tokenFile = config.tokenFile();
    this.token =
        tokenFile == null ? null : new ReloadingFile<>(tokenFile, OperatorClient::readToken);
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

  /** What sends requests. */
  HttpClient http() {
    return trustingClient == null ? plainClient : trustingClient.get();
  }

  /** A request in this process' name. */
  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path));
    return token == null ? request : request.header("Authorization", "Bearer " + token.get());
  }
}
