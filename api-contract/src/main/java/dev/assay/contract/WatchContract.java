package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.contract.WatchStream.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Watching: from a version, with selectors, with bookmarks, and from an expired version. */
interface WatchContract extends Contract {
  private String listVersion(String group) {
    return version(server().get(configMaps() + "?labelSelector=group=" + group).orFail());
  }

  private String labelled(String group) {
    return ", \"labels\": {\"group\": \"" + group + "\"}";
  }

  @Test
  default void aWatchTellsWhatHappenedSinceTheListInOrder() {
    String group = freshName();
    createConfigMap(group + "-old", labelled(group));
    String from = listVersion(group);
    // All of it happens between the list and the watch.
    server().delete(configMaps() + "/" + group + "-old").orFail();
    createConfigMap(group + "-new", labelled(group));
    server().mergePatch(configMaps() + "/" + group + "-new", "{\"data\": {\"a\": \"2\"}}").orFail();
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?labelSelector=group=%s&resourceVersion=%s".formatted(group, from))) {
      assertThat(watch.next()).hasToString("DELETED " + group + "-old");
      assertThat(watch.next()).hasToString("ADDED " + group + "-new");
      Event modified = watch.next();
      assertThat(modified).hasToString("MODIFIED " + group + "-new");
      assertThat(modified.object().at("/data/a").asText()).isEqualTo("2");
      server().delete(configMaps() + "/" + group + "-new").orFail();
      Event deleted = watch.next();
      assertThat(deleted).hasToString("DELETED " + group + "-new");
      assertThat(Long.parseLong(version(deleted.object())))
          .isGreaterThan(Long.parseLong(version(modified.object())));
    }
  }

  @Test
  default void aWatchFromNowhereBeginsWithWhatIsThere() {
    for (String from : List.of("", "&resourceVersion=0")) {
      String group = freshName();
      createConfigMap(group + "-1", labelled(group));
      createConfigMap(group + "-2", labelled(group));
      try (WatchStream watch =
          server().watch(configMaps() + "?labelSelector=group=" + group + from)) {
        // From 0 the server may start with a slightly stale state.
        assertThat(watch.until(event -> event.name().equals(group + "-2")))
            .extracting(Event::toString)
            .containsExactly("ADDED " + group + "-1", "ADDED " + group + "-2");
      }
    }
  }

  @Test
  default void aWatchFromTheLatestVersionTellsOnlyWhatIsNew() {
    String group = freshName();
    JsonNode old = createConfigMap(group + "-old", labelled(group));
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?labelSelector=group=%s&resourceVersion=%s"
                        .formatted(group, version(old)))) {
      createConfigMap(group + "-new", labelled(group));
      assertThat(watch.next()).hasToString("ADDED " + group + "-new");
    }
  }

  @Test
  default void aWatchOfOneObjectHearsOfNoOther() {
    String group = freshName();
    String from = listVersion(group);
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?fieldSelector=metadata.name=%s-b&resourceVersion=%s"
                        .formatted(group, from))) {
      createConfigMap(group + "-a", labelled(group));
      createConfigMap(group + "-b", labelled(group));
      assertThat(watch.next()).hasToString("ADDED " + group + "-b");
    }
  }

  @Test
  default void anObjectThatIsSelectedNoMoreIsDeletedToTheWatch() {
    String group = freshName();
    JsonNode map = createConfigMap(group, labelled(group));
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?labelSelector=group=%s&resourceVersion=%s"
                        .formatted(group, version(map)))) {
      String path = configMaps() + "/" + group;
      JsonNode gone =
          server().mergePatch(path, "{\"metadata\": {\"labels\": {\"group\": null}}}").orFail();
      Event deleted = watch.next();
      assertThat(deleted).hasToString("DELETED " + group);
      assertThat(version(deleted.object())).isEqualTo(version(gone));
      server()
          .mergePatch(path, "{\"metadata\": {\"labels\": {\"group\": \"%s\"}}}".formatted(group))
          .orFail();
      assertThat(watch.next()).hasToString("ADDED " + group);
    }
  }

  @Test
  default void aWatchFromAVersionThatIsForgottenIsGone() {
    try (WatchStream watch = server().watch(runs() + "?resourceVersion=1")) {
      Event error = watch.next();
      assertThat(error.type()).isEqualTo("ERROR");
      assertThat(error.object().path("kind").asText()).isEqualTo("Status");
      assertThat(error.object().path("code").asInt()).isEqualTo(410);
      assertThat(error.object().path("reason").asText()).isEqualTo("Expired");
      assertThat(watch.next().type()).isEqualTo("END");
    }
  }

  @Test
  default void aVersionThatIsNoneIsRefused() {
    assertThat(server().get(runs() + "?watch=true&resourceVersion=nonsense").code())
        .isGreaterThanOrEqualTo(400);
  }

  @Test
  default void aWatchEndsWhenItWasAskedToWithNothingButBookmarksBefore() {
    String from = version(server().get(runs()).orFail());
    try (WatchStream watch =
        server()
            .watch(
                runs()
                    + "?timeoutSeconds=4&allowWatchBookmarks=true&labelSelector=test=none"
                    + "&resourceVersion="
                    + from)) {
      assertThat(watch.until(event -> event.type().equals("END")))
          .filteredOn(event -> !event.type().equals("END"))
          .allSatisfy(
              event -> {
                assertThat(event.type()).isEqualTo("BOOKMARK");
                assertThat(event.object().path("kind").asText()).isEqualTo("AnalyticsRun");
                assertThat(Long.parseLong(version(event.object())))
                    .isGreaterThanOrEqualTo(Long.parseLong(from));
              });
    }
  }

  @Test
  default void aWatchListEndsItsBeginningWithABookmark() {
    String group = freshName();
    createConfigMap(group, labelled(group));
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                    + "&allowWatchBookmarks=true&labelSelector=group="
                    + group)) {
      assertThat(watch.next()).hasToString("ADDED " + group);
      Event bookmark = watch.next();
      assertThat(bookmark.type()).isEqualTo("BOOKMARK");
      assertThat(bookmark.object().at("/metadata/annotations/k8s.io~1initial-events-end").asText())
          .isEqualTo("true");
      server().delete(configMaps() + "/" + group).orFail();
      assertThat(watch.next()).hasToString("DELETED " + group);
    }
  }
}
