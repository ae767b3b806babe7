package dev.assay.operator.signing;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an installation. Requests to a Pod are signed with the key whose public half it was
 * created with.
 *
 * @param current the key for new Pods
 * @param previous kept while Pods that were created with it exist
 * @param since when {@code current} became the current key
 */
public record KeyRing(SigningKey current, @Nullable SigningKey previous, Instant since) {

  /** The key with this id. */
  public Optional<SigningKey> find(String id) {
    if (current.id().equals(id)) {
      return Optional.of(current);
    }
    return Optional.ofNullable(previous).filter(key -> key.id().equals(id));
  }

  /** Makes the new key current and keeps the present one as previous. */
  KeyRing rotated(SigningKey next, Instant now) {
    return new KeyRing(next, current, now);
  }

  /** Without the previous key, which no Pod needs any more. */
  KeyRing withoutPrevious() {
    return new KeyRing(current, null, since);
  }
}
