package dev.assay.operator.signing;

import java.util.Collection;
import java.util.Optional;

/** The keys, cached by this replica. */
public final class SigningKeys {
  private final SigningKeySecret secret;
  private volatile KeyRing keys;

  /** Reads the keys, or creates the first one. */
  public SigningKeys(SigningKeySecret secret) {
    this.secret = secret;
    this.keys = secret.readOrCreate();
  }

  /** The key for new Pods. */
  public SigningKey current() {
    return keys.current();
  }

  /**
   * The key for a Pod, by the ids of the public keys that it was created with.
   *
   * @return empty if none of them is known, because it was removed manually
   */
  public Optional<SigningKey> forPod(Collection<String> keyIds) {
    Optional<SigningKey> known = find(keys, keyIds);
    if (known.isPresent()) {
      return known;
    }
    // Another leader may have created a key since this replica started.
    Optional<KeyRing> stored = secret.find();
    stored.filter(ring -> ring.find(current().id()).isPresent()).ifPresent(this::use);
    return stored.flatMap(ring -> find(ring, keyIds));
  }

  /**
   * Reads the keys again, or creates the first one; must be called by a replica that starts to
   * lead.
   */
  public void reload() {
    keys = secret.readOrCreate();
  }

  KeyRing ring() {
    return keys;
  }

  void use(KeyRing changed) {
    keys = changed;
  }

  private static Optional<SigningKey> find(KeyRing keys, Collection<String> keyIds) {
    return keyIds.stream().map(keys::find).flatMap(Optional::stream).findFirst();
  }
}
