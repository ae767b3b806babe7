package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listing: selectors, pages and tables. */
interface ListContract extends Contract {
  private List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.path("items").forEach(item -> names.add(item.at("/metadata/name").asText()));
    return names;
  }

  private List<String> selected(String group, String selector) {
    return names(
        server()
            .get(configMaps() + "?labelSelector=group=" + group + "," + encoded(selector))
            .orFail());
  }

  private String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private String labelled(String group, String more) {
    return ", \"labels\": {\"group\": \"" + group + "\"" + more + "}";
  }

  @Test
  default void labelsSelect() {
    String group = freshName();
    createConfigMap(group + "-a", labelled(group, ", \"tier\": \"a\", \"x.io/y\": \"\""));
    createConfigMap(group + "-b", labelled(group, ", \"tier\": \"b\""));
    createConfigMap(group + "-none", labelled(group, ""));
    String a = group + "-a";
    String b = group + "-b";
    String none = group + "-none";
    assertThat(selected(group, "tier=a")).containsExactly(a);
    assertThat(selected(group, "tier==b")).containsExactly(b);
    assertThat(selected(group, "tier!=a")).containsExactly(b, none);
    assertThat(selected(group, "tier in (a,b)")).containsExactly(a, b);
    assertThat(selected(group, "tier in (b)")).containsExactly(b);
    assertThat(selected(group, "tier notin (a)")).containsExactly(b, none);
    assertThat(selected(group, "tier")).containsExactly(a, b);
    assertThat(selected(group, "!tier")).containsExactly(none);
    assertThat(selected(group, "x.io/y")).containsExactly(a);
    assertThat(selected(group, "tier,tier!=a")).containsExactly(b);
  }

  @Test
  default void selectorsThatAreNoneAreRefused() {
    assertRefused(
        server().get(configMaps() + "?labelSelector=" + encoded("a in b")), 400, "BadRequest");
    assertRefused(server().get(configMaps() + "?fieldSelector=data.a=1"), 400, "BadRequest");
  }

  @Test
  default void anObjectIsSelectedByItsName() {
    String name = freshName();
    createRun(name);
    createRun(freshName());
    assertThat(
            names(
                server()
                    .get(
                        runs()
                            + "?fieldSelector=metadata.name=%s,metadata.namespace=%s"
                                .formatted(name, namespace()))
                    .orFail()))
        .containsExactly(name);
  }

  @Test
  default void allNamespacesAreListedTogether() {
    String name = freshName();
    createRun(name);
    assertThat(
            names(
                server()
                    .get("/apis/assay.dev/v1alpha1/analyticsruns?labelSelector=test=" + name)
                    .orFail()))
        .containsExactly(name);
  }

  @Test
  default void aListIsOfTheListKind() {
    JsonNode list = server().get(runs()).orFail();
    assertThat(list.path("kind").asText()).isEqualTo("AnalyticsRunList");
    assertThat(list.path("apiVersion").asText()).isEqualTo("assay.dev/v1alpha1");
    assertThat(version(list)).isNotEmpty();
  }

  @Test
  default void pagesHaveEverythingOnce() {
    String group = freshName();
    for (int i = 0; i < 5; i++) {
      createConfigMap(group + "-" + i, labelled(group, ""));
    }
    String path = configMaps() + "?limit=2&labelSelector=group=" + group;
    List<String> all = new ArrayList<>();
    String next = "";
    do {
      JsonNode page = server().get(path + "&continue=" + encoded(next)).orFail();
      assertThat(page.path("items").size()).isBetween(1, 2);
      all.addAll(names(page));
      next = page.at("/metadata/continue").asText();
    } while (!next.isEmpty());
    assertThat(all)
        .containsExactly(group + "-0", group + "-1", group + "-2", group + "-3", group + "-4");
  }

  @Test
  default void laterPagesAreOfTheMomentOfTheFirst() {
    String group = freshName();
    for (String each : List.of("-a", "-b", "-c")) {
      createConfigMap(group + each, labelled(group, ""));
    }
    String path = configMaps() + "?limit=1&labelSelector=group=" + group;
    JsonNode first = server().get(path).orFail();
    server().delete(configMaps() + "/" + group + "-b").orFail();
    server().mergePatch(configMaps() + "/" + group + "-c", "{\"data\": {\"a\": \"2\"}}").orFail();
    createConfigMap(group + "-d", labelled(group, ""));
    JsonNode second =
        server()
            .get(path + "&continue=" + encoded(first.at("/metadata/continue").asText()))
            .orFail();
    JsonNode third =
        server()
            .get(path + "&continue=" + encoded(second.at("/metadata/continue").asText()))
            .orFail();
    assertThat(names(second)).containsExactly(group + "-b");
    assertThat(names(third)).containsExactly(group + "-c");
    assertThat(third.at("/items/0/data/a").asText()).isEqualTo("1");
    assertThat(version(third)).isEqualTo(version(first));
    assertNothingFollows(path, third);
  }

  /**
   * A server that reads its storage page by page does not know whether any of the objects that
   * follow has the label, so that the last pages can be empty.
   */
  private void assertNothingFollows(String path, JsonNode last) {
    JsonNode page = last;
    while (!page.at("/metadata/continue").asText().isEmpty()) {
      page =
          server()
              .get(path + "&continue=" + encoded(page.at("/metadata/continue").asText()))
              .orFail();
      assertThat(names(page)).isEmpty();
    }
  }

  @Test
  default void aContinuationThatIsNoneIsRefused() {
    assertRefused(server().get(configMaps() + "?limit=1&continue=nonsense"), 400, "BadRequest");
  }

  @Test
  default void aTableHasTheColumnsOfTheCrd() {
    String name = freshName();
    createRun(name);
    server()
        .mergePatch(
            runs() + "/" + name + "/status", "{\"status\": {\"className\": \"python-large\"}}")
        .orFail();
    JsonNode table =
        server()
            .getAs(
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
                runs() + "?labelSelector=test=" + name)
            .orFail();
    assertThat(table.path("kind").asText()).isEqualTo("Table");
    List<String> columns = new ArrayList<>();
    table.path("columnDefinitions").forEach(column -> columns.add(column.path("name").asText()));
    assertThat(columns)
        .containsExactly(
            "Name",
            "Class",
            "Phase",
            "Reason",
            "Run Time",
            "Age",
            "Language",
            "Mode",
            "Pod",
            "Warm",
            "Queued",
            "Caller",
            "Datasets",
            "Cache Key");
    JsonNode row = table.at("/rows/0");
    assertThat(row.at("/cells/0").asText()).isEqualTo(name);
    assertThat(row.at("/cells/1").asText()).isEqualTo("python-large");
    assertThat(row.at("/cells/2").isNull()).isTrue();
    assertThat(row.at("/cells/5").asText()).matches("[0-9]+s");
    assertThat(row.at("/object/kind").asText()).isEqualTo("PartialObjectMetadata");
    assertThat(row.at("/object/metadata/name").asText()).isEqualTo(name);
  }
}
