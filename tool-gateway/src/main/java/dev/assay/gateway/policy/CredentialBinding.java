package dev.assay.gateway.policy;

import dev.assay.api.v1alpha1.ToolServer;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the content of a Secret may be sent: its annotations decide, not whoever names it. Pure.
 */
public final class CredentialBinding {
  private CredentialBinding() {}

  /**
   * Why a Secret may not be used; empty if it may.
   *
   * @param annotations of the Secret
   * @param namespace of the ToolServer that names it
   * @param url of the ToolServer
   */
  public static Optional<String> refusal(
      String secret, @Nullable Map<String, String> annotations, String namespace, URI url) {
    Map<String, String> bound = annotations == null ? Map.of() : annotations;
    String host = url.getHost().toLowerCase(Locale.ROOT);
    String port = host + ":" + port(url);
    // Whoever writes a URL could have the content sent where others read it on the way.
    boolean isPlain = !url.getScheme().equals("https");
    List<String> forms = isPlain ? List.of("http://" + port) : List.of(host, port);
    if (!names(bound, ToolServer.HOSTS_ANNOTATION, forms)) {
      return Optional.of(
          "Annotation "
              + ToolServer.HOSTS_ANNOTATION
              + " of Secret "
              + secret
              + " does not name "
              + (isPlain ? forms.getFirst() + ", which a URL with http needs" : host)
              + ": add it if the Secret may be sent there");
    }
    if (!names(bound, ToolServer.NAMESPACES_ANNOTATION, List.of(namespace, "*"))) {
      return Optional.of(
          "Annotation "
              + ToolServer.NAMESPACES_ANNOTATION
              + " of Secret "
              + secret
              + " does not name "
              + namespace
              + ": add it if its ToolServers may use the Secret");
    }
    return Optional.empty();
  }

  private static int port(URI url) {
    if (url.getPort() >= 0) {
      return url.getPort();
    }
    return url.getScheme().equals("https") ? 443 : 80;
  }

  private static boolean names(
      Map<String, String> annotations, String annotation, List<String> any) {
    return Arrays.stream(annotations.getOrDefault(annotation, "").split(",", -1))
        .map(name -> name.strip().toLowerCase(Locale.ROOT))
        .anyMatch(any::contains);
  }
}
