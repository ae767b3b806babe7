package dev.assay.local.kubelet;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Loopback addresses for Pods, out of 127.64.0.0/10. Linux answers on all of them. They begin at a
 * random place, so that two processes like this one hardly meet, and are given in turn, so that an
 * address is not used again soon.
 */
final class PodAddresses {
  private static final int FIRST = (127 << 24) | (64 << 16);
  private static final int COUNT = 1 << 22;
  private static final int LAST_OCTET = 255;

  private final Set<Integer> used = new HashSet<>();
  private int next;

  PodAddresses(Random random) {
    this.next = random.nextInt(COUNT);
  }

  /** An address that no Pod has. */
  synchronized String take() {
    int octet = next & LAST_OCTET;
    while (octet == 0 || octet == LAST_OCTET || !used.add(next)) {
      next = (next + 1) % COUNT;
      octet = next & LAST_OCTET;
    }
    int address = FIRST + next;
    next = (next + 1) % COUNT;
    return "%d.%d.%d.%d"
        .formatted(
            address >>> 24,
            (address >>> 16) & LAST_OCTET,
            (address >>> 8) & LAST_OCTET,
            address & LAST_OCTET);
  }

  /** Releases an address for another Pod. */
  synchronized void giveBack(String address) {
    int number = 0;
    for (String octet : address.split("\\.", -1)) {
      number = (number << 8) | Integer.parseInt(octet);
    }
    used.remove(number - FIRST);
  }
}
