package dev.assay.operator.tool;

import dev.assay.api.digest.Sha256;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Rendezvous hashing: where an address comes or goes, only the keys that have it as their first one
 * get another.
 */
final class Rendezvous {
  private Rendezvous() {}

  /** The addresses in the order in which they are to be used for a key. */
  static List<String> order(String key, Collection<String> addresses) {
    return addresses.stream()
        .distinct()
        .sorted(
            Comparator.comparing((String address) -> Sha256.hex(address + "\0" + key)).reversed())
        .toList();
  }
}
