package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** Replacing: conflicts, generations, and the status subresource. */
interface UpdateContract extends Contract {
  private ObjectNode withLabel(JsonNode object, String value) {
    ObjectNode changed = object.deepCopy();
    changed.withObject("/metadata/labels").put("changed", value);
    return changed;
  }

  @Test
  default void anUpdateOnTopOfAnOldVersionIsAConflict() {
    String name = freshName();
    JsonNode run = createRun(name);
    JsonNode updated = server().put(runs() + "/" + name, withLabel(run, "once")).orFail();
    assertThat(version(updated)).isNotEqualTo(version(run));
    var answer = server().put(runs() + "/" + name, withLabel(run, "twice"));
    assertRefused(answer, 409, "Conflict");
    assertThat(answer.message()).contains("the object has been modified");
  }

  @Test
  default void aCustomResourceIsNotUpdatedWithoutAVersion() {
    String name = freshName();
    ObjectNode run = withLabel(createRun(name), "once");
    run.withObject("/metadata").remove("resourceVersion");
    var answer = server().put(runs() + "/" + name, run);
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("metadata.resourceVersion");
  }

  @Test
  default void aConfigMapIsUpdatedWithoutAVersion() {
    String name = freshName();
    ObjectNode map = withLabel(createConfigMap(name, ""), "once");
    map.withObject("/metadata").remove("resourceVersion");
    assertThat(server().put(configMaps() + "/" + name, map).orFail().at("/metadata/labels/changed"))
        .hasToString("\"once\"");
  }

  @Test
  default void anObjectOfTheSameNameIsNotTheSameObject() {
    String name = freshName();
    ObjectNode map = createConfigMap(name, "").deepCopy();
    map.withObject("/metadata").put("uid", "11111111-1111-1111-1111-111111111111");
    map.withObject("/metadata").remove("resourceVersion");
    assertRefused(server().put(configMaps() + "/" + name, map), 409, "Conflict");
  }

  @Test
  default void whatIsNotThereIsNotUpdated() {
    String name = freshName();
    JsonNode run = createRun(name);
    server().delete(runs() + "/" + name).orFail();
    assertRefused(server().put(runs() + "/" + name, run), 404, "NotFound");
  }

  @Test
  default void anotherNameInTheObjectIsRefused() {
    String name = freshName();
    ObjectNode run = createRun(name).deepCopy();
    run.withObject("/metadata").put("name", "another");
    assertRefused(server().put(runs() + "/" + name, run), 400, "BadRequest");
  }

  @Test
  default void anUpdateThatChangesNothingMakesNoVersion() {
    String name = freshName();
    JsonNode run = createRun(name);
    assertThat(version(server().put(runs() + "/" + name, run).orFail())).isEqualTo(version(run));
  }

  @Test
  default void onlyAChangeOfTheSpecMakesAGeneration() {
    String name = freshName();
    ObjectNode run = withLabel(createRun(name), "once");
    ObjectNode labelled = server().put(runs() + "/" + name, run).orFail().deepCopy();
    assertThat(labelled.at("/metadata/generation").asInt()).isEqualTo(1);
    labelled.withObject("/spec").put("cancel", true);
    JsonNode cancelled = server().put(runs() + "/" + name, labelled).orFail();
    assertThat(cancelled.at("/metadata/generation").asInt()).isEqualTo(2);
    ObjectNode withStatus = cancelled.deepCopy();
    withStatus.withObject("/status").put("phase", "Running");
    JsonNode running = server().put(runs() + "/" + name + "/status", withStatus).orFail();
    assertThat(running.at("/metadata/generation").asInt()).isEqualTo(2);
  }

  @Test
  default void statusAndTheRestAreWrittenApart() {
    String name = freshName();
    ObjectNode run = createRun(name).deepCopy();
    run.withObject("/status").put("phase", "Running");
    run.withObject("/spec").put("cancel", true);
    ObjectNode bySpec = server().put(runs() + "/" + name, run).orFail().deepCopy();
    assertThat(bySpec.has("status")).isFalse();
    assertThat(bySpec.at("/spec/cancel").asBoolean()).isTrue();
    bySpec.withObject("/status").put("phase", "Running");
    bySpec.withObject("/spec").put("caller", "ignored");
    JsonNode byStatus = server().put(runs() + "/" + name + "/status", bySpec).orFail();
    assertThat(byStatus.at("/status/phase").asText()).isEqualTo("Running");
    assertThat(byStatus.at("/spec").has("caller")).isFalse();
  }

  @Test
  default void aStatusThatTheSchemaDoesNotHaveIsRefused() {
    String name = freshName();
    ObjectNode run = createRun(name).deepCopy();
    run.withObject("/status").put("phase", "Dancing");
    var answer = server().put(runs() + "/" + name + "/status", run);
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("status.phase");
  }

  @Test
  default void aStatusSubresourceIsReadAsTheObject() {
    String name = freshName();
    JsonNode run = createRun(name);
    assertThat(server().get(runs() + "/" + name + "/status").orFail()).isEqualTo(run);
  }

  @Test
  default void theDeadlineOfAPodIsOnlyLowered() {
    String pod = pods() + "/" + createPod(freshName()).at("/metadata/name").asText();
    String patch = "[{\"op\": \"add\", \"path\": \"/spec/activeDeadlineSeconds\", \"value\": %d}]";
    assertThat(
            server().jsonPatch(pod, patch.formatted(60)).orFail().at("/spec/activeDeadlineSeconds"))
        .hasToString("60");
    server().jsonPatch(pod, patch.formatted(50)).orFail();
    assertRefused(server().jsonPatch(pod, patch.formatted(70)), 422, "Invalid");
    assertRefused(server().jsonPatch(pod, patch.formatted(0)), 422, "Invalid");
  }

  @Test
  default void thePlaceOfAPodIsNotChanged() {
    String pod = pods() + "/" + createPod(freshName()).at("/metadata/name").asText();
    var answer =
        server()
            .jsonPatch(
                pod, "[{\"op\": \"add\", \"path\": \"/spec/hostNetwork\", \"value\": true}]");
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("pod updates may not change fields other than");
  }
}
