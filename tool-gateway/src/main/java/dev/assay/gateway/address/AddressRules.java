package dev.assay.gateway.address;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Which addresses a tool server may have: public ones, and those of the allowed ranges. Link-local
 * addresses and those of metadata services are refused whatever is allowed, and so are the denied
 * ones. Pure.
 *
 * @param allowed ranges that are allowed though they are private or loopback
 * @param denied addresses that are refused though they are in an allowed range, such as that of the
 *     API server
 */
public record AddressRules(List<AddressRange> allowed, List<AddressRange> denied) {
  private static final List<AddressRange> METADATA =
      ranges(
          "169.254.0.0/16",
          "fe80::/10",
          "fd00:ec2::254/128",
          "fd20:ce::254/128",
          "100.100.100.200/32",
          "168.63.129.16/32");

  /** Ranges that are for no server. */
  private static final List<AddressRange> UNUSABLE =
      ranges("0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::/128", "ff00::/8");

  private static final String NOT_ALLOWED = ", and toolGateway.allowedAddresses does not allow it";

  private static final List<AddressRange> LOOPBACK = ranges("127.0.0.0/8", "::1/128");

  private static final List<AddressRange> PRIVATE =
      ranges(
          "10.0.0.0/8",
          "172.16.0.0/12",
          "192.168.0.0/16",
          "100.64.0.0/10",
          "192.0.0.0/24",
          "198.18.0.0/15",
          "64:ff9b:1::/48",
          "fc00::/7",
          "fec0::/10");

  /** Ranges of IPv6 addresses that contain an IPv4 address, and the byte it begins at. */
  private record Embedding(AddressRange range, int offset) {}

  private static final List<Embedding> EMBEDDINGS =
      List.of(
          new Embedding(AddressRange.parse("::/96"), 12),
          new Embedding(AddressRange.parse("64:ff9b::/96"), 12),
          new Embedding(AddressRange.parse("2002::/16"), 2));

  /** Copies the lists. */
  public AddressRules {
    allowed = List.copyOf(allowed);
    denied = List.copyOf(denied);
  }

  private static List<AddressRange> ranges(String... ranges) {
    return Arrays.stream(ranges).map(AddressRange::parse).toList();
  }

  /** Why an address is refused, such as {@code a loopback address, …}; empty if it is not. */
  public Optional<String> refusal(InetAddress address) {
    InetAddress actual = embedded(address);
    if (contains(METADATA, actual)) {
      return Optional.of("a link-local address or that of a metadata service");
    }
    if (contains(UNUSABLE, actual)) {
      return Optional.of("an address that no server can have");
    }
    if (contains(denied, actual)) {
      return Optional.of("an address of the cluster's API server");
    }
    if (contains(allowed, actual)) {
      return Optional.empty();
    }
    if (contains(LOOPBACK, actual)) {
      return Optional.of("a loopback address" + NOT_ALLOWED);
    }
    return contains(PRIVATE, actual)
        ? Optional.of("a private address" + NOT_ALLOWED)
        : Optional.empty();
  }

  private static boolean contains(List<AddressRange> ranges, InetAddress address) {
    return ranges.stream().anyMatch(range -> range.contains(address));
  }

  /** The IPv4 address that an IPv6 address leads to, if it is such; else itself. */
  private static InetAddress embedded(InetAddress address) {
    if (!(address instanceof Inet6Address) || LOOPBACK.getLast().contains(address)) {
      return address;
    }
    byte[] bytes = address.getAddress();
    for (Embedding embedding : EMBEDDINGS) {
      if (embedding.range().contains(address)) {
        try {
          return InetAddress.getByAddress(
              Arrays.copyOfRange(bytes, embedding.offset(), embedding.offset() + 4));
        } catch (UnknownHostException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    return address;
  }
}
