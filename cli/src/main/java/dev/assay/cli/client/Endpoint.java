package dev.assay.cli.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The address of Assay, and the credential for it.
 *
 * @param uri without a path, such as {@code http://127.0.0.1:8787}
 * @param key the API key; absent where none is asked for
 * @param recipient who may receive the key
 */
public record Endpoint(URI uri, @Nullable String key, Recipient recipient) {
  /** Where local mode listens. */
  public static final String LOCAL = "http://127.0.0.1:8787";

  /** Follows the words of an endpoint that wants a key. */
  static final String KEY_HINT =
      " (ASSAY_API_KEY holds the key, or --key-file names a file with it)";

  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final int HTTP_PORT = 80;

  /** Who may receive a key. */
  public enum Recipient {
    ANYONE,
    /** Only a server of the same user, as far as the system tells whose it is. */
    THIS_USER
  }

  /** An endpoint that receives the key whoever serves it. */
  public Endpoint(URI uri, @Nullable String key) {
    this(uri, key, Recipient.ANYONE);
  }

  /**
   * Parses an address as people write it: {@code /mcp} or a slash at its end are ignored.
   *
   * @throws IllegalArgumentException if it is not an http or https URL
   */
  public static Endpoint of(String address, @Nullable String key) {
    URI given = parse(address);
    String path = given.getPath().replaceFirst("/+$", "").replaceFirst("/mcp$", "");
    return new Endpoint(
        URI.create(given.getScheme() + "://" + given.getRawAuthority() + path), key);
  }

  private static URI parse(String address) {
    try {
      URI given = new URI(address.strip());
      boolean isHttp = "http".equals(given.getScheme()) || "https".equals(given.getScheme());
      if (isHttp && given.getHost() != null) {
        return given;
      }
    } catch (URISyntaxException e) {
      // Reported below.
    }
    throw new IllegalArgumentException(
        "invalid URL '" + address + "': expected one such as https://assay.example or " + LOCAL);
  }

  /** Whether it is on this machine, where local mode's own key is the one to send. */
  public boolean isLoopback() {
    return "http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost());
  }

  /**
   * The same endpoint, on this machine, with local mode's own key. It goes only to a server of this
   * user, since any account may listen on a loopback address.
   */
  public Endpoint withLocalKey(String other) {
    return new Endpoint(uri, other, Recipient.THIS_USER);
  }

  /** Without the key, which must not be logged. */
  @Override
  public String toString() {
    return uri.toString();
  }

  /** A request for a path, with the key if there is one. */
  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri + path));
    return key == null || isWithheld() ? request : request.header("Authorization", "Bearer " + key);
  }

  /** Looks each time: a bridge outlives the server that it began with. */
  private boolean isWithheld() {
    if (recipient == Recipient.ANYONE) {
      return false;
    }
    return switch (PortOwner.of(uri.getPort() < 0 ? HTTP_PORT : uri.getPort())) {
      case THIS_USER, UNKNOWN -> false;
      case NOBODY -> true;
      case ANOTHER_USER -> {
        System.err.println(
            "assay: another user of this machine serves "
                + uri
                + ": the key of local mode was not sent"
                + KEY_HINT);
        yield true;
      }
    };
  }

  /** Follows no redirect, which could lead the key elsewhere. */
  static HttpClient newHttpClient() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT)
        .build();
  }
}
