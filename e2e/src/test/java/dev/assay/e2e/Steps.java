package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Steps of the test data, which load files and query them.
 *
 * <p>A step with {@code load} uploads a file; one with {@code query} has the rows that it returns;
 * one with {@code call} calls a tool. With {@code fails} it fails, and the message contains that
 * text; with {@code says}, the text of the reply does.
 */
final class Steps {
  private Steps() {}

  /** Runs steps, and returns how many of them failed as expected. */
  static int run(Assay assay, JsonNode steps) {
    int failed = 0;
    for (JsonNode step : steps) {
      if (step.has("load")) {
        load(assay, step);
      } else if (step.has("call")) {
        call(assay, step);
      } else {
        query(assay, step);
      }
      failed += step.has("fails") ? 1 : 0;
    }
    return failed;
  }

  private static void load(Assay assay, JsonNode step) {
    JsonNode found = SourceFile.upload(assay, step.path("load").asText(), step);
    assertThat(found.path("phase").asText())
        .as(found.toString())
        .isEqualTo(step.has("fails") ? "Failed" : "Ready");
    assertThat(found.path("message").asText()).contains(step.path("fails").asText());
  }

  private static void call(Assay assay, JsonNode step) {
    Map<String, Object> arguments =
        Rest.JSON.convertValue(step.path("arguments"), new TypeReference<>() {});
    check(assay.call(step.path("call").asText(), arguments), step);
  }

  private static void check(Reply reply, JsonNode step) {
    assertThat(reply.isError()).as(reply.text()).isEqualTo(step.has("fails"));
    assertThat(reply.text()).contains(step.path("fails").asText(), step.path("says").asText());
  }

  private static void query(Assay assay, JsonNode step) {
    List<String> files = new ArrayList<>();
    step.path("files").forEach(file -> files.add(file.asText()));
    Query query = Query.of(assay, step.path("query").asText(), step.path("code").asText(), files);
    step.path("with")
        .properties()
        .forEach(
            argument -> {
              Object value = Rest.JSON.convertValue(argument.getValue(), Object.class);
              query.with(argument.getKey(), value);
            });
    Reply reply = query.reply();
    check(reply, step);
    if (step.has("rows")) {
      assertThat(cells(reply.document().path("data")))
          .as(step.toString())
          .isEqualTo(cells(step.path("rows")));
    }
  }

  /** The cells of rows that are arrays or objects, each number as a double. */
  private static List<List<Object>> cells(JsonNode rows) {
    List<List<Object>> found = new ArrayList<>();
    for (JsonNode row : rows) {
      List<Object> cells = new ArrayList<>();
      row.forEach(cell -> cells.add(cell.isNumber() ? (Object) cell.doubleValue() : cell.asText()));
      found.add(cells);
    }
    return found;
  }
}
