package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import java.net.URI;
import java.util.Map;

/**
 * Where a server is, and what every request to it carries.
 *
 * @param url its URL, with a host
 * @param protocol its transport
 * @param headers of every request, credentials included
 */
record ServerAddress(URI url, Protocol protocol, Map<String, String> headers) {
  /** Scheme, host and port. */
  String origin() {
    return url.getScheme() + "://" + url.getRawAuthority();
  }

  /** Path and query. */
  String target() {
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
  }

  /** Whether a URL that the server names, which may be relative to its own, has its origin. */
  boolean isSameOrigin(String other) {
    URI named = url.resolve(other);
    return url.getScheme().equalsIgnoreCase(named.getScheme())
        && named.getRawAuthority() != null
        && url.getRawAuthority().equalsIgnoreCase(named.getRawAuthority());
  }
}
