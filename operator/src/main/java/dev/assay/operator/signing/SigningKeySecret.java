package dev.assay.operator.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.operator.kubernetes.ApiErrors;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;

/** Keeps the signing key in a Secret that the operator makes at its first start. */
public final class SigningKeySecret {
  private static final String NAME = "assay-operator-keys";
  private static final String ID = "current.id";
  private static final String PRIVATE = "current.pkcs8";
  private static final String PUBLIC = "current.x509";

  private final KubernetesClient client;
  private final String namespace;

  public SigningKeySecret(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /** The key of this installation; made now if there is none. */
  public SigningKey readOrCreate() {
    Secret secret = client.secrets().inNamespace(namespace).withName(NAME).get();
    return decode(secret == null ? create() : secret);
  }

  private Secret create() {
    SigningKey key = SigningKey.generate("k-" + UUID.randomUUID().toString().substring(0, 8));
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName(NAME)
            .withNamespace(namespace)
            .endMetadata()
            .withType("assay.dev/signing-key")
            .withData(
                Map.of(
                    ID, base64(key.id().getBytes(UTF_8)),
                    PRIVATE, base64(key.privateKey().getEncoded()),
                    PUBLIC, base64(key.publicKey().getEncoded())))
            .build();
    try {
      return client.secrets().inNamespace(namespace).resource(secret).create();
    } catch (KubernetesClientException e) {
      if (ApiErrors.alreadyExists(e)) {
        // Another replica was first; there is one key for all.
        return client.secrets().inNamespace(namespace).withName(NAME).require();
      }
      throw e;
    }
  }

  private static SigningKey decode(Secret secret) {
    return SigningKey.decode(
        new String(bytes(secret, ID), UTF_8), bytes(secret, PRIVATE), bytes(secret, PUBLIC));
  }

  private static byte[] bytes(Secret secret, String key) {
    String value = secret.getData().get(key);
    if (value == null) {
      throw new IllegalStateException("Secret " + NAME + " lacks " + key);
    }
    return Base64.getDecoder().decode(value);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
