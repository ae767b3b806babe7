package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.gateway.address.AddressRules;
import dev.assay.gateway.address.GuardedNames;
import dev.assay.gateway.address.RefusedAddressException;
import dev.assay.gateway.policy.CredentialBinding;
import dev.assay.gateway.result.Scrub;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a server is connected to now: its address with the credential that is sent there, and what is
 * removed from its replies.
 *
 * @param version changes with the spec and with the credential
 */
record ServerConnections(String version, ServerAddress address, Scrub scrub) {
  /**
   * Reads spec and Secret.
   *
   * @param known the ones before, which are returned if they still are those of spec and Secret: it
   *     takes longer to make what finds a credential in replies than to look at both
   * @throws UpstreamException if the server may not be connected to
   */
  static ServerConnections of(
      ToolServer server,
      CredentialSource credentials,
      AddressRules rules,
      Optional<ServerConnections> known)
      throws UpstreamException {
    ToolServerSpec spec = server.getSpec();
    URI url = url(spec.url());
    try {
      GuardedNames.guard(url.getHost(), rules);
    } catch (RefusedAddressException e) {
      throw refused("The URL of the tool server is refused: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw refused("The URL of the tool server has a host that is no name and no address");
    }
    Auth auth = spec.auth();
    Optional<Credential> credential =
        auth == null
            ? Optional.empty()
            : Optional.of(credential(server, auth.secretName(), url, credentials));
    String version =
        server.getMetadata().getUid()
            + "/"
            + server.getMetadata().getGeneration()
            + credential.map(read -> "/" + read.version()).orElse("");
    if (known.isPresent() && known.get().version.equals(version)) {
      return known.get();
    }
    Map<String, String> headers = new LinkedHashMap<>();
    spec.headerList().forEach(header -> headers.put(header.name(), header.value()));
    if (auth == null || credential.isEmpty()) {
      return new ServerConnections(
          version, new ServerAddress(url, spec.protocol(), headers), Scrub.NONE);
    }
    String token = String.valueOf(credential.get().token());
    headers.put(auth.headerName(), auth.headerPrefix() + token);
    return new ServerConnections(
        version,
        new ServerAddress(url, spec.protocol(), headers),
        new Scrub(
            List.of(
                token,
                Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.UTF_8)))));
  }

  private static Credential credential(
      ToolServer server, String secretName, URI url, CredentialSource credentials)
      throws UpstreamException {
    Optional<Credential> found = credentials.read(secretName);
    if (found.isEmpty()) {
      throw refused(
          "Auth of the tool server names Secret " + secretName + ", which does not exist");
    }
    Credential credential = found.get();
    Optional<String> unbound =
        CredentialBinding.refusal(
            secretName, credential.annotations(), server.getMetadata().getNamespace(), url);
    if (unbound.isPresent()) {
      throw refused(unbound.get());
    }
    @Nullable String token = credential.token();
    if (token == null
        || token.length() < Credential.MIN_LENGTH
        || !token.matches("[\\x20-\\x7e]+")) {
      throw refused(
          "Secret "
              + secretName
              + " has no key "
              + ToolServer.SECRET_KEY
              + " with one line of at least "
              + Credential.MIN_LENGTH
              + " visible ASCII characters");
    }
    return credential;
  }

  private static URI url(String text) throws UpstreamException {
    try {
      URI url = new URI(text);
      String scheme = url.getScheme();
      if (url.getHost() != null
          && url.getRawUserInfo() == null
          && ("http".equals(scheme) || "https".equals(scheme))) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Refused below.
    }
    throw refused("The URL of the tool server is not usable");
  }

  private static UpstreamException refused(String detail) {
    return UpstreamException.unavailable(
        "The tool server cannot be connected to as it is configured.", detail + ".");
  }
}
