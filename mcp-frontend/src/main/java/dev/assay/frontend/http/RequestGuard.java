package dev.assay.frontend.http;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a browser was tricked into: of an origin that is not allowed, or under a
 * host name that is not ours (DNS rebinding).
 */
public final class RequestGuard {
  private static final String ANY = "*";
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  private final Set<String> origins;
  private final Set<String> hosts;

  /**
   * A guard.
   *
   * @param origins that may call, in full
   * @param hosts without port, beside the loopback names; {@code *} for any
   */
  public RequestGuard(Collection<String> origins, Collection<String> hosts) {
    this.origins = Set.copyOf(origins);
    this.hosts =
        Stream.concat(LOOPBACK.stream(), hosts.stream())
            .map(host -> host.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Why a request is refused; empty where it is not. */
  public Optional<String> refusal(@Nullable String host, @Nullable String origin) {
    if (!hosts.contains(ANY) && (host == null || !hosts.contains(withoutPort(host)))) {
      return Optional.of("This Host is not allowed; the platform team can add it to allowedHosts");
    }
    if (origin != null && !origins.contains(origin) && !isOwn(origin, host)) {
      return Optional.of(
          "This Origin is not allowed; the platform team can add it to allowedOrigins");
    }
    return Optional.empty();
  }

  /** Whether a page came from this endpoint itself, by a name that no other machine can have. */
  private static boolean isOwn(String origin, @Nullable String host) {
    return host != null
        && LOOPBACK.contains(withoutPort(host))
        && origin.equalsIgnoreCase("http://" + host);
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    boolean port = colon > host.lastIndexOf(']') && colon >= 0;
    return (port ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
  }
}
