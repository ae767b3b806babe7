package dev.assay.frontend.identity;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells who a request is from. */
public interface Identities {
  /**
   * The identity that a key stands for; empty where it stands for nobody.
   *
   * @param key as the request brought it, if it did
   */
  Optional<Identity> of(@Nullable String key);

  /** Where callers find their key, for the message of a refusal; empty where nobody can tell. */
  default String keyLocation() {
    return "";
  }

  /** Everybody is the same caller: authentication is switched off. */
  static Identities everybodyIs(Identity identity) {
    return key -> Optional.of(identity);
  }
}
