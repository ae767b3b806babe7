package dev.assay.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.upstream.Credential;
import dev.assay.gateway.upstream.CredentialSource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Reads Secrets of one namespace, and no more often than every half minute each. */
public final class CredentialSecrets implements CredentialSource {
  private static final Duration FRESH = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final String namespace;
  private final Clock clock;
  private final Map<String, Read> known = new ConcurrentHashMap<>();

  private record Read(Optional<Credential> credential, Instant at) {}

  /** Reads nothing yet. */
  public CredentialSecrets(KubernetesClient client, String namespace, Clock clock) {
    this.client = client;
    this.namespace = namespace;
    this.clock = clock;
  }

  @Override
  public Optional<Credential> read(String secretName) {
    Instant now = clock.instant();
    Read read = known.get(secretName);
    // A Secret that is missing may be created at any time, and is looked for again.
    if (read == null || read.credential.isEmpty() || read.at.plus(FRESH).isBefore(now)) {
      Secret secret = client.secrets().inNamespace(namespace).withName(secretName).get();
      read = new Read(Optional.ofNullable(secret).map(CredentialSecrets::credential), now);
      known.put(secretName, read);
    }
    return read.credential;
  }

  private static Credential credential(Secret secret) {
    String encoded = secret.getData() == null ? null : secret.getData().get(ToolServer.SECRET_KEY);
    Map<String, String> annotations = secret.getMetadata().getAnnotations();
    return new Credential(
        secret.getMetadata().getResourceVersion(),
        annotations == null ? Map.of() : Map.copyOf(annotations),
        encoded == null ? null : new String(Base64.getDecoder().decode(encoded), UTF_8).strip());
  }
}
