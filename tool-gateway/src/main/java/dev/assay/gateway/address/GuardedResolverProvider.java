package dev.assay.gateway.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.List;
import java.util.stream.Stream;

/** Has the JVM check the addresses of {@link GuardedNames}; other names resolve as ever. */
public final class GuardedResolverProvider extends InetAddressResolverProvider {
  /** For the JVM. */
  public GuardedResolverProvider() {}

  @Override
  public InetAddressResolver get(Configuration configuration) {
    return new Guarded(configuration.builtinResolver());
  }

  @Override
  public String name() {
    return "assay-tool-gateway";
  }

  /** Checks what another resolver finds. */
  record Guarded(InetAddressResolver builtin) implements InetAddressResolver {
    @Override
    public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
        throws UnknownHostException {
      if (host.endsWith(GuardedNames.PROBES)) {
        throw GuardedNames.refused(host, "is refused");
      }
      List<InetAddress> addresses = builtin.lookupByName(host, policy).toList();
      GuardedNames.check(host, addresses);
      return addresses.stream();
    }

    @Override
    public String lookupByAddress(byte[] address) throws UnknownHostException {
      return builtin.lookupByAddress(address);
    }
  }
}
