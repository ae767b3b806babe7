package dev.assay.gateway.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The hosts of tool servers. Wherever this JVM resolves one of them, the addresses are checked by
 * the rules, so that a connection is made to the very address that was checked: a name cannot
 * resolve elsewhere at the second look.
 */
public final class GuardedNames {
  /** Names are resolved by the JVM, which has one resolver. */
  private static final Map<String, AddressRules> RULES = new ConcurrentHashMap<>();

  /**
   * Why names did not resolve when they were looked up last. The JVM's HTTP client drops the cause
   * of a failed lookup.
   */
  private static final Map<String, RefusedAddressException> REFUSED = new ConcurrentHashMap<>();

  /** Names that this process itself connects to. */
  private static final Set<String> OWN = ConcurrentHashMap.newKeySet();

  /** No name: the end of one is not of digits. */
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+");

  /** The domain of names that no server has, and that the resolver of this package refuses. */
  static final String PROBES = ".guard.assay.invalid";

  private GuardedNames() {}

  /**
   * Checks that the JVM resolves names with {@link GuardedResolverProvider}.
   *
   * @throws IllegalStateException if it does not: no name would be checked
   */
  public static void verify() {
    try {
      // Another name each time: the JVM remembers for a while that one does not resolve.
      var unused = InetAddress.getAllByName(UUID.randomUUID() + PROBES);
    } catch (RefusedAddressException e) {
      return;
    } catch (UnknownHostException e) {
      // Another resolver was asked.
    }
    throw new IllegalStateException(
        "addresses of tool servers are not checked: this JVM does not use "
            + GuardedResolverProvider.class.getName());
  }

  /**
   * Has no tool server have the name of the API server. The rules of a tool server apply wherever
   * this JVM resolves its name, and would keep this process from the API server.
   *
   * @param host of the API server; has no effect if it is an address
   */
  public static void reserve(String host) {
    if (literal(host).isEmpty()) {
      OWN.add(key(host));
    }
  }

  /**
   * Checks a host that is an address, and has one that is a name checked when it is resolved.
   *
   * @param host as {@code URI.getHost()} returns it
   * @throws RefusedAddressException if it is an address that is refused, or a name that is reserved
   * @throws IllegalArgumentException if it is an address in an unusual form, such as {@code
   *     010.0.0.1}
   */
  public static void guard(String host, AddressRules rules) throws RefusedAddressException {
    Optional<InetAddress> literal = literal(host);
    if (literal.isPresent()) {
      Optional<String> refusal = rules.refusal(literal.get());
      if (refusal.isPresent()) {
        throw new RefusedAddressException(host + " is " + refusal.get());
      }
    } else if (OWN.contains(key(host))) {
      throw new RefusedAddressException(host + " is the host of the cluster's API server");
    } else {
      RULES.put(key(host), rules);
    }
  }

  private static Optional<InetAddress> literal(String host) {
    // Which the JVM resolves by itself where its resolver refuses it.
    if (key(host).equals("localhost")) {
      return Optional.of(InetAddress.getLoopbackAddress());
    }
    if (host.startsWith("[")) {
      return Optional.of(InetAddress.ofLiteral(host.substring(1, host.length() - 1)));
    }
    return NUMERIC.matcher(host).matches() ? Optional.of(ipv4(host)) : Optional.empty();
  }

  /** Other forms have different meanings: to some, a leading zero makes a number octal. */
  private static InetAddress ipv4(String host) {
    InetAddress address = InetAddress.ofLiteral(host);
    if (!address.getHostAddress().equals(host)) {
      throw new IllegalArgumentException("an address in an unusual form: " + host);
    }
    return address;
  }

  /** Why a guarded name did not resolve when it was looked up last; empty if it was not refused. */
  public static Optional<RefusedAddressException> lastRefusal(String host) {
    return Optional.ofNullable(REFUSED.get(key(host)));
  }

  /** Fails if the host is guarded and one of its addresses is refused. */
  static void check(String host, List<InetAddress> addresses) throws UnknownHostException {
    AddressRules rules = RULES.get(key(host));
    if (rules == null) {
      return;
    }
    for (InetAddress address : addresses) {
      Optional<String> refusal = rules.refusal(address);
      if (refusal.isPresent()) {
        throw refused(host, "resolves to " + refusal.get());
      }
    }
    REFUSED.remove(key(host));
  }

  /** What fails the lookup of a host; remembered if the host is guarded. */
  static RefusedAddressException refused(String host, String reason) {
    var refused = new RefusedAddressException(host + " " + reason);
    if (RULES.containsKey(key(host))) {
      REFUSED.put(key(host), refused);
    }
    return refused;
  }

  private static String key(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
