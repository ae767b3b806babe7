package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.storage.Change;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.api.storage.ObjectStorage.Listing;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * Streams the changes of a resource. A reader that is slower than the history is long is told to
 * list again, so that no queue is kept for it.
 */
final class WatchHandler {
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(30);
  private static final Duration BETWEEN_BOOKMARKS = Duration.ofMinutes(1);

  /** A bookmark comes before the end, so that the next watch begins where this one stopped. */
  private static final Duration BOOKMARK_BEFORE_END = Duration.ofSeconds(2);

  private final ObjectStorage storage;

  WatchHandler(ObjectStorage storage) {
    this.storage = storage;
  }

  /**
   * What is watched.
   *
   * @param resource whose changes
   * @param namespace empty for all
   * @param selected which objects
   * @param form how an object is to look in an event
   */
  record Watched(
      ResourceDefinition resource,
      String namespace,
      Predicate<ObjectNode> selected,
      UnaryOperator<ObjectNode> form) {
    boolean has(ObjectNode object) {
      return (namespace.isEmpty() || namespace.equals(Metadata.namespace(object)))
          && selected.test(object);
    }
  }

  void serve(Watched watched, Parameters parameters, Request request, Response response)
      throws IOException, InterruptedException {
    long from = parameters.resourceVersion("resourceVersion");
    Long seconds = parameters.number("timeoutSeconds");
    Duration timeout = seconds == null || seconds == 0 ? MAX_TIMEOUT : Duration.ofSeconds(seconds);
    request.addIdleTimeoutListener(idle -> false);
    Bodies.begin(response, "application/json");
    Stream stream = new Stream(watched, response, from);
    stream.start(parameters);
    stream.follow(System.nanoTime() + timeout.toNanos(), parameters.flag("allowWatchBookmarks"));
  }

  /** One watch under way. */
  private final class Stream {
    private final Watched watched;
    private final Response response;
    private long seen;

    Stream(Watched watched, Response response, long from) {
      this.watched = watched;
      this.response = response;
      this.seen = from;
    }

    /** Tells what is there already, where that was asked for. */
    void start(Parameters parameters) throws IOException {
      boolean initialEvents = parameters.flag("sendInitialEvents");
      boolean anywhere = seen == 0;
      if (anywhere || initialEvents) {
        Listing listing = storage.list(watched.resource(), watched.namespace());
        if (initialEvents || !parameters.has("sendInitialEvents")) {
          for (ObjectNode object : listing.objects()) {
            if (watched.has(object)) {
              write("ADDED", watched.form().apply(object));
            }
          }
        }
        seen = listing.revision();
        if (initialEvents && parameters.flag("allowWatchBookmarks")) {
          bookmark(true);
        }
      }
    }

    void follow(long end, boolean bookmarks) throws IOException, InterruptedException {
      long bookmarkAt = nextBookmark(end);
      while (true) {
        long now = System.nanoTime();
        if (end - now <= 0 || storage.isClosed()) {
          return;
        }
        if (bookmarks && bookmarkAt - now <= 0) {
          bookmark(false);
          bookmarkAt = nextBookmark(end);
        }
        long until = bookmarks ? Math.min(end - now, Math.max(0, bookmarkAt - now)) : end - now;
        Optional<List<Change>> changes =
            storage.awaitAfter(watched.resource(), seen, Duration.ofNanos(until));
        if (changes.isEmpty()) {
          expire();
          return;
        }
        for (Change change : changes.get()) {
          write(change);
          seen = change.revision();
        }
      }
    }

    private long nextBookmark(long end) {
      long now = System.nanoTime();
      long beforeEnd = end - BOOKMARK_BEFORE_END.toNanos();
      long regular = now + BETWEEN_BOOKMARKS.toNanos();
      return beforeEnd - now > 0 && beforeEnd - regular < 0 ? beforeEnd : regular;
    }

    private void write(Change change) throws IOException {
      ObjectNode before = change.before();
      ObjectNode selectedBefore = before != null && watched.has(before) ? before : null;
      boolean is = !change.deleted() && watched.has(change.object());
      if (is) {
        write(selectedBefore != null ? "MODIFIED" : "ADDED", watched.form().apply(change.object()));
      } else if (selectedBefore != null) {
        write("DELETED", watched.form().apply(lastSeen(change, selectedBefore)));
      }
    }

    /** An object that is selected no more is told as it was, with the new version. */
    private static ObjectNode lastSeen(Change change, ObjectNode before) {
      if (change.deleted()) {
        return change.object();
      }
      ObjectNode last = before.deepCopy();
      Metadata.of(last).put("resourceVersion", Metadata.resourceVersion(change.object()));
      return last;
    }

    private void bookmark(boolean initialEventsEnd) throws IOException {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      object
          .put("kind", watched.resource().names().kind())
          .put("apiVersion", watched.resource().apiVersion());
      Metadata.of(object).put("resourceVersion", Long.toString(seen)).putNull("creationTimestamp");
      if (initialEventsEnd) {
        Metadata.of(object).putObject("annotations").put("k8s.io/initial-events-end", "true");
      }
      write("BOOKMARK", object);
    }

    private void expire() throws IOException {
      write(
          "ERROR",
          ApiException.expired(
                  "too old resource version: %d (%d)".formatted(seen, storage.revision()))
              .toStatus());
    }

    private void write(String type, ObjectNode object) throws IOException {
      ObjectNode event = JsonNodeFactory.instance.objectNode().put("type", type);
      event.set("object", object);
      Bodies.writeLine(response, event);
    }
  }
}
