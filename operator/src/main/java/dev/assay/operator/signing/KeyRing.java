package dev.assay.operator.signing;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an installation. A Pod is spoken to with the key whose public half it was made with.
 *
 * @param current new Pods are made with it
 * @param previous kept while there are Pods that were made with it
 * @param since when {@code current} became that
 */
public record KeyRing(SigningKey current, @Nullable SigningKey previous, Instant since) {

  /** The key of an id. */
  public Optional<SigningKey> find(String id) {
    if (current.id().equals(id)) {
      return Optional.of(current);
    }
    return Optional.ofNullable(previous).filter(key -> key.id().equals(id));
  }

  /** A new key takes over; the present one is kept beside it. */
  KeyRing rotated(SigningKey next, Instant now) {
    return new KeyRing(next, current, now);
  }

  /** Without the key that no Pod needs any more. */
  KeyRing withoutPrevious() {
    return new KeyRing(current, null, since);
  }
}
