package dev.assay.operator.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.operator.kubernetes.ApiErrors;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the keys in a Secret that the operator creates at its first start. */
public final class SigningKeySecret {
  private static final Logger LOG = LoggerFactory.getLogger(SigningKeySecret.class);

  /** Set by an administrator, to any value, to request a new key now. */
  static final String ROTATE_ANNOTATION = "assay.dev/rotate-signing-key";

  private static final String NAME = "assay-operator-keys";
  private static final String CURRENT = "current";
  private static final String PREVIOUS = "previous";
  private static final String ID = ".id";
  private static final String PRIVATE = ".pkcs8";
  private static final String PUBLIC = ".x509";
  private static final String SINCE = "current.since";

  private final KubernetesClient client;
  private final String namespace;
  private final Clock clock;

  public SigningKeySecret(KubernetesClient client, String namespace, Clock clock) {
    this.client = client;
    this.namespace = namespace;
    this.clock = clock;
  }

  /**
   * The content of the Secret.
   *
   * @param keys the keys
   * @param rotationRequested whether an administrator requested a new key
   * @param resourceVersion the version that was read
   */
  record Stored(KeyRing keys, boolean rotationRequested, String resourceVersion) {}

  /** The keys of this installation; empty if the Secret was deleted. */
  Optional<KeyRing> find() {
    return Optional.ofNullable(get()).map(SigningKeySecret::decode);
  }

  /** Returns the keys of this installation and creates them if there are none. */
  public KeyRing readOrCreate() {
    Secret secret = get();
    return decode(
        secret == null
            ? create(new KeyRing(SigningKey.generate(), null, clock.instant()))
            : secret);
  }

  /**
   * Reads the Secret, and creates it again if it was deleted: the next leader could not continue a
   * run whose Pod was created with a key that is lost.
   *
   * @param keys what it contains then
   */
  Stored readOrRestore(KeyRing keys) {
    Secret found = get();
    if (found == null) {
      LOG.warn("The Secret {} was deleted; it is created again with the same keys", NAME);
    }
    Secret secret = found == null ? create(keys) : found;
    Map<String, String> annotations = secret.getMetadata().getAnnotations();
    return new Stored(
        decode(secret),
        annotations != null && annotations.containsKey(ROTATE_ANNOTATION),
        secret.getMetadata().getResourceVersion());
  }

  /**
   * Replaces the keys and clears a request for rotation.
   *
   * @param resourceVersion the version that the decision is based on
   * @throws KubernetesClientException a conflict if the Secret has changed since
   */
  void replace(KeyRing keys, String resourceVersion) {
    Secret secret = secret(keys);
    secret.getMetadata().setResourceVersion(resourceVersion);
    client.secrets().inNamespace(namespace).resource(secret).update();
  }

  private @Nullable Secret get() {
    return client.secrets().inNamespace(namespace).withName(NAME).get();
  }

  private Secret create(KeyRing keys) {
    try {
      return client.secrets().inNamespace(namespace).resource(secret(keys)).create();
    } catch (KubernetesClientException e) {
      if (ApiErrors.alreadyExists(e)) {
        // Another replica created it first; all share one key.
        return client.secrets().inNamespace(namespace).withName(NAME).require();
      }
      throw e;
    }
  }

  private Secret secret(KeyRing keys) {
    Map<String, String> data = new HashMap<>();
    put(data, CURRENT, keys.current());
    data.put(
        SINCE, base64(keys.since().truncatedTo(ChronoUnit.SECONDS).toString().getBytes(UTF_8)));
    if (keys.previous() != null) {
      put(data, PREVIOUS, keys.previous());
    }
    return new SecretBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(namespace)
        .endMetadata()
        .withType("assay.dev/signing-key")
        .withData(data)
        .build();
  }

  private static void put(Map<String, String> data, String which, SigningKey key) {
    data.put(which + ID, base64(key.id().getBytes(UTF_8)));
    data.put(which + PRIVATE, base64(key.privateKey().getEncoded()));
    data.put(which + PUBLIC, base64(key.publicKey().getEncoded()));
  }

  private static KeyRing decode(Secret secret) {
    Map<String, String> data = secret.getData() == null ? Map.of() : secret.getData();
    String since = data.get(SINCE);
    return new KeyRing(
        key(data, CURRENT),
        data.containsKey(PREVIOUS + ID) ? key(data, PREVIOUS) : null,
        Instant.parse(
            since == null
                ? secret.getMetadata().getCreationTimestamp()
                : new String(Base64.getDecoder().decode(since), UTF_8)));
  }

  private static SigningKey key(Map<String, String> data, String which) {
    return SigningKey.decode(
        new String(bytes(data, which + ID), UTF_8),
        bytes(data, which + PRIVATE),
        bytes(data, which + PUBLIC));
  }

  private static byte[] bytes(Map<String, String> data, String key) {
    String value = data.get(key);
    if (value == null) {
      throw new IllegalStateException("Secret " + NAME + " has no key " + key);
    }
    return Base64.getDecoder().decode(value);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
