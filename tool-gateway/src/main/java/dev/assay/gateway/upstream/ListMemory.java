package dev.assay.gateway.upstream;

import dev.assay.gateway.definition.InvalidListException;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The memory for the lists of tools that sessions keep. Sessions with a server that get the same
 * list have it in common. The lists of the servers of one namespace take at most half, those of one
 * server a quarter; a list that is longer than that is the only one of its server.
 */
public final class ListMemory {
  /** A definition is kept as text, which may have two bytes a character. */
  private static final int BYTES_OF_TEXT = 2;

  /** What a value of a tree takes beside its text. */
  private static final int BYTES_OF_TOKEN = 80;

  private final long total;
  private final Map<String, Long> heldByNamespaces = new HashMap<>();
  private long held;

  /**
   * A budget.
   *
   * @param bytes of all lists together
   */
  public ListMemory(long bytes) {
    this.total = bytes;
  }

  private long ofNamespace() {
    return total / 2;
  }

  /** The part of one server. */
  Part part(String namespace) {
    return new Part(namespace);
  }

  /** What the sessions with one server keep. */
  final class Part {
    private final String namespace;
    private final Map<String, Kept> listsByDigest = new HashMap<>();
    private long heldByServer;

    private Part(String namespace) {
      this.namespace = namespace;
    }

    /**
     * Keeps a list, until it has been released as often as it was kept.
     *
     * @return the one that is kept, which is equal; empty if there is no memory for it now
     * @throws InvalidListException if it is longer than any list may be
     */
    Optional<ToolListing> keep(ToolListing listing) throws InvalidListException {
      // Without the lock, which all servers have in common.
      String digest = listing.digest();
      Optional<ToolListing> known = keepKnown(digest);
      if (known.isPresent()) {
        return known;
      }
      long bytes = weight(listing);
      if (bytes > ofNamespace()) {
        throw new InvalidListException(
            "it takes %,d KiB of memory, and the lists of a namespace may take %,d KiB: hide tools"
                    .formatted(bytes >> 10, ofNamespace() >> 10)
                + " with tools.deny, or raise toolGateway.resources");
      }
      return keepNew(digest, listing, bytes);
    }

    private Optional<ToolListing> keepKnown(String digest) {
      synchronized (ListMemory.this) {
        Kept known = listsByDigest.get(digest);
        if (known == null) {
          return Optional.empty();
        }
        known.users++;
        return Optional.of(known.listing);
      }
    }

    private Optional<ToolListing> keepNew(String digest, ToolListing listing, long bytes) {
      synchronized (ListMemory.this) {
        // Another session may have got it meanwhile.
        Optional<ToolListing> known = keepKnown(digest);
        if (known.isPresent()) {
          return known;
        }
        long heldByNamespace = heldByNamespaces.getOrDefault(namespace, 0L);
        boolean fits =
            held + bytes <= total
                && heldByNamespace + bytes <= ofNamespace()
                && (heldByServer == 0 || heldByServer + bytes <= total / 4);
        if (!fits) {
          return Optional.empty();
        }
        listsByDigest.put(digest, new Kept(listing, bytes));
        add(bytes);
        return Optional.of(listing);
      }
    }

    /** Gives a list back that was kept. */
    void release(ToolListing listing) {
      String digest = listing.digest();
      synchronized (ListMemory.this) {
        Kept found = listsByDigest.get(digest);
        if (found != null && --found.users == 0) {
          listsByDigest.remove(digest);
          add(-found.bytes);
        }
      }
    }

    private void add(long bytes) {
      held += bytes;
      heldByServer += bytes;
      long ofNamespace = heldByNamespaces.getOrDefault(namespace, 0L) + bytes;
      if (ofNamespace == 0) {
        heldByNamespaces.remove(namespace);
      } else {
        heldByNamespaces.put(namespace, ofNamespace);
      }
    }
  }

  /** A list, and how many sessions have it. */
  private static final class Kept {
    private final ToolListing listing;
    private final long bytes;
    private int users = 1;

    Kept(ToolListing listing, long bytes) {
      this.listing = listing;
      this.bytes = bytes;
    }
  }

  private static long weight(ToolListing listing) {
    long weight = 0;
    for (ToolDefinition tool : listing.tools().all()) {
      JsonNode tree = Json.MAPPER.valueToTree(tool);
      weight += weight(Json.MAPPER.writeValueAsBytes(tree).length, Json.tokens(tree));
    }
    return weight;
  }

  /** What definitions take, for the length of their text and the number of their tokens. */
  static long weight(long bytes, long tokens) {
    return BYTES_OF_TEXT * bytes + BYTES_OF_TOKEN * tokens;
  }
}
