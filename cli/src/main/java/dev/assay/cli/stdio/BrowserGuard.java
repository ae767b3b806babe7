package dev.assay.cli.stdio;

import com.sun.net.httpserver.Headers;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what a web page makes a browser send: a page reaches servers that its author does not,
 * also under a name of its own (DNS rebinding). No page is a client of a bridge. Pure.
 */
final class BrowserGuard {
  private static final String JSON = "application/json";
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  private final InetAddress address;

  /**
   * A guard.
   *
   * @param address that the bridge listens on. The header {@code Host} is checked for a loopback
   *     address only: the names of others are not known here
   */
  BrowserGuard(InetAddress address) {
    this.address = address;
  }

  /** The status that a request is refused with; empty where it is not. */
  OptionalInt refusal(String method, Headers headers) {
    if (headers.containsKey("Origin") || !isOurs(headers.getFirst("Host"))) {
      return OptionalInt.of(403);
    }
    // Other types are sent without asking for permission first (CORS).
    return method.equals("POST") && !isJson(headers.getFirst("Content-Type"))
        ? OptionalInt.of(415)
        : OptionalInt.empty();
  }

  private boolean isOurs(@Nullable String host) {
    if (!address.isLoopbackAddress()) {
      return true;
    }
    return host != null
        && (LOOPBACK.contains(withoutPort(host)) || literal(address).equals(withoutPort(host)));
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    boolean hasPort = colon > host.lastIndexOf(']');
    return (hasPort ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
  }

  private static boolean isJson(@Nullable String type) {
    return type != null && type.split(";", 2)[0].strip().equalsIgnoreCase(JSON);
  }

  /** An address as URLs and the header Host have it. */
  static String literal(InetAddress address) {
    String literal = address.getHostAddress();
    return address instanceof Inet6Address ? "[" + literal + "]" : literal;
  }
}
