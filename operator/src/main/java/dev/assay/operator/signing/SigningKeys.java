package dev.assay.operator.signing;

import java.util.Collection;
import java.util.Optional;

/** The keys as this replica knows them. */
public final class SigningKeys {
  private final SigningKeySecret secret;
  private volatile KeyRing keys;

  /** Reads the keys, or makes the first one. */
  public SigningKeys(SigningKeySecret secret) {
    this.secret = secret;
    this.keys = secret.readOrCreate();
  }

  /** What new Pods are made with. */
  public SigningKey current() {
    return keys.current();
  }

  /**
   * The key for a Pod, by the ids of the public keys that it was made with.
   *
   * @return empty where none of them is known: it was removed by hand
   */
  public Optional<SigningKey> forPod(Collection<String> keyIds) {
    Optional<SigningKey> known = find(keyIds);
    if (known.isPresent()) {
      return known;
    }
    // Another leader may have made a new key since this replica started.
    reload();
    return find(keyIds);
  }

  /** Reads the keys again; to be done by a replica that begins to lead. */
  public void reload() {
    keys = secret.readOrCreate();
  }

  void use(KeyRing changed) {
    keys = changed;
  }

  private Optional<SigningKey> find(Collection<String> keyIds) {
    return keyIds.stream().map(keys::find).flatMap(Optional::stream).findFirst();
  }
}
