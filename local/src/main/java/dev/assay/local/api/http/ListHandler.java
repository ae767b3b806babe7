package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.storage.Change;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.api.storage.ObjectStorage.Listing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Lists, whole or in pages. All pages carry the version of the first one and are of that moment: a
 * watch from there tells whatever changed while the pages were read.
 */
final class ListHandler {
  private final ObjectStorage storage;

  ListHandler(ObjectStorage storage) {
    this.storage = storage;
  }

  /**
   * A page of a list.
   *
   * @param objects of the page
   * @param metadata of the list
   */
  record Page(List<ObjectNode> objects, ObjectNode metadata) {}

  /** Where the next page begins, as the client hands it back. */
  private record Token(long revision, ObjectKey after) {
    private static final String SEPARATOR = "\n";

    String text() {
      String plain = revision + SEPARATOR + after.namespace() + SEPARATOR + after.name();
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    static Token parse(String text) {
      try {
        String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
        String[] parts = plain.split(SEPARATOR, 3);
        return new Token(Long.parseLong(parts[0]), new ObjectKey(parts[1], parts[2]));
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
        throw ApiException.badRequest("continue key is not valid");
      }
    }
  }

  Page list(
      ResourceDefinition resource,
      String namespace,
      Predicate<ObjectNode> selected,
      Parameters parameters)
      throws InterruptedException {
    Listing listing = storage.list(resource, namespace);
    long revision = listing.revision();
    List<ObjectNode> left = listing.objects();
    String continued = parameters.text("continue");
    if (continued.isEmpty()) {
      checkVersion(parameters, revision);
    } else {
      Token token = Token.parse(continued);
      revision = token.revision;
      left =
          asOf(revision, resource, namespace, listing).stream()
              .filter(one -> ObjectKey.of(one).compareTo(token.after) > 0)
              .toList();
    }
    left = left.stream().filter(selected).toList();
    Long limit = parameters.number("limit");
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    metadata.put("resourceVersion", Long.toString(revision));
    if (limit == null || limit == 0 || left.size() <= limit) {
      return new Page(left, metadata);
    }
    List<ObjectNode> page = left.subList(0, limit.intValue());
    metadata
        .put("continue", new Token(revision, ObjectKey.of(page.getLast())).text())
        .put("remainingItemCount", left.size() - page.size());
    return new Page(page, metadata);
  }

  private static void checkVersion(Parameters parameters, long current) {
    long wanted = parameters.resourceVersion("resourceVersion");
    if (wanted > current) {
      throw ApiException.tooLargeResourceVersion(wanted, current);
    }
    if (parameters.text("resourceVersionMatch").equals("Exact") && wanted != current) {
      throw ApiException.expired("The resourceVersion for the provided list is too old.");
    }
  }

  /** Takes back what has changed since a version. */
  private List<ObjectNode> asOf(
      long revision, ResourceDefinition resource, String namespace, Listing now)
      throws InterruptedException {
    List<Change> changes =
        storage
            .awaitAfter(resource, revision, Duration.ZERO)
            .orElseThrow(
                () ->
                    ApiException.expired(
                        "The provided continue parameter is too old to display a consistent list"
                            + " result. You can start a new list without the continue parameter."));
    NavigableMap<ObjectKey, ObjectNode> then = new TreeMap<>();
    now.objects().forEach(object -> then.put(ObjectKey.of(object), object));
    for (Change change : changes.reversed()) {
      ObjectKey key = ObjectKey.of(change.object());
      if (change.revision() > now.revision()
          || !(namespace.isEmpty() || namespace.equals(key.namespace()))) {
        continue;
      }
      ObjectNode before = change.before();
      if (before == null) {
        then.remove(key);
      } else {
        then.put(key, before);
      }
    }
    return List.copyOf(then.values());
  }
}
