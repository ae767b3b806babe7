package dev.assay.cli.local;

import dev.assay.api.v1alpha1.ToolServerSpec.Header;
import dev.assay.frontend.config.InvalidConfigException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a server, parted into the one that is a credential and the others. A ToolServer
 * has one credential, in a Secret; everybody who can read the ToolServer can read its other
 * headers. Pure.
 *
 * @param credential the credential; absent if there is none
 * @param others the other headers
 */
record ServerHeaders(@Nullable Credential credential, List<Header> others) {
  static final ServerHeaders NONE = new ServerHeaders(null, List.of());

  /** What the transport sets by itself, and many settings contain. */
  private static final Set<String> OF_THE_TRANSPORT =
      Set.of("accept", "content-type", "content-length");

  private static final Pattern CREDENTIAL =
      Pattern.compile("auth|cookie|credential|key|password|secret|session|signature|token");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
  private static final Pattern VALUE = Pattern.compile("[ -~]*");
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z]+ +)(\\S.*)");

  /** Shorter ones occur in replies by chance, and could not be removed from them. */
  private static final int MIN_CREDENTIAL = 8;

  /**
   * A header whose value nobody else may read.
   *
   * @param header its name
   * @param prefix what is before the credential in its value, such as {@code "Bearer "}; may be
   *     empty
   * @param value the credential
   */
  record Credential(String header, String prefix, String value) {
    /** Without the value. */
    @Override
    public String toString() {
      return "Credential[header=" + header + "]";
    }
  }

  /**
   * Parts headers: the only header is a credential, and of several that whose name says so.
   *
   * @throws InvalidConfigException if they cannot be sent, or several are credentials
   */
  static ServerHeaders of(Map<String, String> headers) {
    Set<String> names = new HashSet<>();
    List<Map.Entry<String, String>> sent = new ArrayList<>();
    for (Map.Entry<String, String> header : headers.entrySet()) {
      String name = header.getKey();
      if (!NAME.matcher(name).matches() || !names.add(name.toLowerCase(Locale.ROOT))) {
        throw new InvalidConfigException(
            "'" + name + "' is there twice, or cannot be the name of a header");
      }
      if (!VALUE.matcher(header.getValue()).matches()) {
        throw new InvalidConfigException(name + " must have visible ASCII characters only");
      }
      if (!OF_THE_TRANSPORT.contains(name.toLowerCase(Locale.ROOT))) {
        sent.add(header);
      }
    }
    List<Map.Entry<String, String>> credentials =
        sent.size() == 1 ? sent : sent.stream().filter(ServerHeaders::isCredential).toList();
    if (credentials.size() > 1) {
      throw new InvalidConfigException(
          "a server can have one credential, and both %s and %s are named like one"
              .formatted(credentials.get(0).getKey(), credentials.get(1).getKey()));
    }
    return new ServerHeaders(
        credentials.isEmpty() ? null : credential(credentials.getFirst()),
        sent.stream()
            .filter(header -> !credentials.contains(header))
            .map(header -> new Header(header.getKey(), header.getValue()))
            .toList());
  }

  private static boolean isCredential(Map.Entry<String, String> header) {
    return CREDENTIAL.matcher(header.getKey().toLowerCase(Locale.ROOT)).find();
  }

  private static Credential credential(Map.Entry<String, String> header) {
    Matcher scheme = SCHEME.matcher(header.getValue());
    boolean hasScheme = header.getKey().equalsIgnoreCase("Authorization") && scheme.matches();
    String value = (hasScheme ? scheme.group(2) : header.getValue()).strip();
    if (value.length() < MIN_CREDENTIAL) {
      throw new InvalidConfigException(
          "the credential in %s must have at least %d characters"
              .formatted(header.getKey(), MIN_CREDENTIAL));
    }
    return new Credential(header.getKey(), hasScheme ? scheme.group(1) : "", value);
  }
}
