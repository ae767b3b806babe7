package dev.assay.gateway.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.security.Security;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The resolver of a JVM that runs tests: that of the gateway, of names whose addresses a test
 * changes. Other names resolve as ever.
 */
public final class ChangingResolverProvider extends InetAddressResolverProvider {
  private static final Map<String, Supplier<String>> ADDRESSES = new ConcurrentHashMap<>();

  /** For the JVM. */
  public ChangingResolverProvider() {}

  /**
   * Has a name resolve.
   *
   * @param address asked each time that the JVM looks the name up
   */
  public static void resolve(String host, Supplier<String> address) {
    ADDRESSES.put(host, address);
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    // The JVM would remember an address for half a minute. It reads this after its first lookup.
    Security.setProperty("networkaddress.cache.ttl", "0");
    return new GuardedResolverProvider.Guarded(new Changing(configuration.builtinResolver()));
  }

  @Override
  public String name() {
    return "assay-tool-gateway-tests";
  }

  private record Changing(InetAddressResolver builtin) implements InetAddressResolver {
    @Override
    public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
        throws UnknownHostException {
      Supplier<String> address = ADDRESSES.get(host);
      return address == null
          ? builtin.lookupByName(host, policy)
          : Stream.of(InetAddress.ofLiteral(address.get()));
    }

    @Override
    public String lookupByAddress(byte[] address) throws UnknownHostException {
      return builtin.lookupByAddress(address);
    }
  }
}
