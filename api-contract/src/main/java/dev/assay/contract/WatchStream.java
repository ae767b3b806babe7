package dev.assay.contract;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The events of one watch, in order. */
final class WatchStream implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final InputStream body;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  /**
   * One event.
   *
   * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK}, {@code ERROR},
   *     or {@code END} if the server has closed the watch
   * @param object the object
   */
  record Event(String type, JsonNode object) {
    String name() {
      return object.at("/metadata/name").asText();
    }

    @Override
    public String toString() {
      return type + " " + name();
    }
  }

  WatchStream(InputStream body) {
    this.body = body;
    Thread.ofVirtual().start(this::read);
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode event = ApiServer.json(line);
        events.add(new Event(event.path("type").asText(), event.path("object")));
      }
    } catch (IOException e) {
      // Closed by the test or by the server: the end either way.
    }
    events.add(new Event("END", ApiServer.json("{}")));
  }

  /** The next event; fails after a timeout. */
  Event next() {
    try {
      Event event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (event == null) {
        throw new AssertionError("no event came within " + PATIENCE);
      }
      return event;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** All events up to the first match, inclusive; fails if the watch ends before. */
  List<Event> until(Predicate<Event> last) {
    List<Event> seen = new ArrayList<>();
    while (true) {
      Event event = next();
      seen.add(event);
      if (last.test(event)) {
        return seen;
      }
      if (event.type().equals("END")) {
        throw new AssertionError("the watch ended after " + seen);
      }
    }
  }

  @Override
  public void close() {
    try {
      body.close();
    } catch (IOException e) {
      // It is not needed any more.
    }
  }
}
