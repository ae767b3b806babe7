package dev.assay.gateway.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.assay.gateway.address.AddressRange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that the platform team sets at installation.
 *
 * @param namespaces the run namespaces, whose ToolServers are read
 * @param credentialNamespace the one namespace whose Secrets are read
 * @param address the IP address to listen at; all addresses when absent
 * @param port the TCP port of the endpoint; 0 for any free port
 * @param healthPort the TCP port of health and metrics; 0 for any free port
 * @param tls the certificate of the endpoint; plain HTTP when absent, for one machine only
 * @param audience the audience that a caller's token must have
 * @param allowedServiceAccounts user names of the service accounts that may call
 * @param allowedAddresses ranges of private or loopback addresses that tool servers may have
 * @param deniedAddresses ranges of addresses that they may not have even so
 */
public record GatewayConfig(
    @JsonProperty(required = true) List<String> namespaces,
    @JsonProperty(required = true) String credentialNamespace,
    @Nullable String address,
    @JsonProperty(required = true) int port,
    @JsonProperty(required = true) int healthPort,
    @Nullable Tls tls,
    @JsonProperty(required = true) String audience,
    @JsonProperty(required = true) List<String> allowedServiceAccounts,
    @Nullable List<String> allowedAddresses,
    @Nullable List<String> deniedAddresses) {

  /** Rejects ranges that are none. */
  public GatewayConfig {
    ranges(allowedAddresses);
    ranges(deniedAddresses);
  }

  /** The same with one more denied address, unless it is null or no address. */
  public GatewayConfig withDeniedAddress(@Nullable String host) {
    if (host == null || !host.matches("[0-9a-fA-F.]*[.:][0-9a-fA-F.:]*")) {
      return this;
    }
    List<String> denied = new ArrayList<>(deniedAddresses == null ? List.of() : deniedAddresses);
    denied.add(host);
    return new GatewayConfig(
        namespaces,
        credentialNamespace,
        address,
        port,
        healthPort,
        tls,
        audience,
        allowedServiceAccounts,
        allowedAddresses,
        List.copyOf(denied));
  }

  /** Where to listen at a port. */
  public InetSocketAddress listenAddress(int atPort) {
    return address == null
        ? new InetSocketAddress(atPort)
        : new InetSocketAddress(InetAddress.ofLiteral(address), atPort);
  }

  /** The ranges that are allowed. */
  public List<AddressRange> allowedRanges() {
    return ranges(allowedAddresses);
  }

  /** The ranges that are denied. */
  public List<AddressRange> deniedRanges() {
    return ranges(deniedAddresses);
  }

  private static List<AddressRange> ranges(@Nullable List<String> texts) {
    return texts == null ? List.of() : texts.stream().map(AddressRange::parse).toList();
  }

  /**
   * A certificate and its key, in PEM.
   *
   * @param certificateFile the certificate
   * @param keyFile its private key
   */
  public record Tls(
      @JsonProperty(required = true) String certificateFile,
      @JsonProperty(required = true) String keyFile) {}
}
