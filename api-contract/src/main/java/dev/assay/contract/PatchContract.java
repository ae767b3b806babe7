package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** Patching: the two types that Assay and kubectl use, and rejections. */
interface PatchContract extends Contract {
  private String statusPatch(String version, String phase) {
    return """
        [{"op": "replace", "path": "/metadata/resourceVersion", "value": "%s"},
         {"op": "add", "path": "/status", "value": {"phase": "%s"}}]"""
        .formatted(version, phase);
  }

  @Test
  default void aStatusIsPatchedOnTopOfTheVersionThatItNames() {
    String name = freshName();
    JsonNode run = createRun(name);
    String path = runs() + "/" + name + "/status";
    JsonNode patched = server().jsonPatch(path, statusPatch(version(run), "Running")).orFail();
    assertThat(patched.at("/status/phase").asText()).isEqualTo("Running");
    assertRefused(
        server().jsonPatch(path, statusPatch(version(run), "Succeeded")), 409, "Conflict");
  }

  @Test
  default void aPatchWithoutAVersionFitsAny() {
    String name = freshName();
    createRun(name);
    JsonNode patched =
        server()
            .jsonPatch(
                runs() + "/" + name,
                "[{\"op\": \"add\", \"path\": \"/spec/cancel\", \"value\": true}]")
            .orFail();
    assertThat(patched.at("/spec/cancel").asBoolean()).isTrue();
  }

  @Test
  default void aStatusPatchLeavesTheRestAsItIs() {
    String name = freshName();
    createRun(name);
    JsonNode patched =
        server()
            .mergePatch(
                runs() + "/" + name + "/status",
                "{\"spec\": {\"cancel\": true}, \"status\": {\"phase\": \"Pending\"}}")
            .orFail();
    assertThat(patched.at("/spec").has("cancel")).isFalse();
    assertThat(patched.at("/status/phase").asText()).isEqualTo("Pending");
  }

  @Test
  default void aPatchOfTheObjectLeavesTheStatusAsItIs() {
    String name = freshName();
    createRun(name);
    JsonNode patched =
        server().mergePatch(runs() + "/" + name, "{\"status\": {\"phase\": \"Pending\"}}").orFail();
    assertThat(patched.has("status")).isFalse();
  }

  @Test
  default void aTestThatFailsRefusesThePatch() {
    String name = freshName();
    createConfigMap(name, "");
    var answer =
        server()
            .jsonPatch(
                configMaps() + "/" + name,
                "[{\"op\": \"test\", \"path\": \"/data/a\", \"value\": \"2\"},"
                    + "{\"op\": \"remove\", \"path\": \"/data/a\"}]");
    assertRefused(answer, 422, "Invalid");
    assertThat(server().get(configMaps() + "/" + name).at("/data/a")).isEqualTo("1");
  }

  @Test
  default void aPatchOfWhatIsNotThereIsRefused() {
    String name = freshName();
    createConfigMap(name, "");
    for (String operation :
        new String[] {
          "{\"op\": \"remove\", \"path\": \"/data/zz\"}",
          "{\"op\": \"add\", \"path\": \"/zz/zz\", \"value\": \"1\"}",
        }) {
      assertRefused(
          server().jsonPatch(configMaps() + "/" + name, "[" + operation + "]"), 422, "Invalid");
    }
  }

  @Test
  default void aMergePatchSetsMergesAndRemoves() {
    String name = freshName();
    createConfigMap(name, ", \"finalizers\": []");
    JsonNode patched =
        server()
            .mergePatch(
                configMaps() + "/" + name,
                "{\"metadata\": {\"labels\": {\"x\": \"y\"}}, \"data\": {\"a\": null, \"b\": \"2\"}}")
            .orFail();
    assertThat(patched.path("data")).hasToString("{\"b\":\"2\"}");
    assertThat(patched.at("/metadata/labels/x").asText()).isEqualTo("y");
  }

  @Test
  default void aMergePatchReplacesArraysAsAWhole() {
    String name = freshName();
    String path = runs() + "/" + name + "/status";
    createRun(name);
    server()
        .mergePatch(path, "{\"status\": {\"conditions\": [{\"type\": \"A\"}, {\"type\": \"B\"}]}}")
        .orFail();
    JsonNode patched =
        server().mergePatch(path, "{\"status\": {\"conditions\": [{\"type\": \"C\"}]}}").orFail();
    assertThat(patched.at("/status/conditions")).hasToString("[{\"type\":\"C\"}]");
  }

  @Test
  default void aMergePatchWithAnOldVersionIsAConflict() {
    String name = freshName();
    JsonNode map = createConfigMap(name, "");
    server().mergePatch(configMaps() + "/" + name, "{\"data\": {\"b\": \"2\"}}").orFail();
    assertRefused(
        server()
            .mergePatch(
                configMaps() + "/" + name,
                "{\"metadata\": {\"resourceVersion\": \"%s\"}, \"data\": {\"b\": \"3\"}}"
                    .formatted(version(map))),
        409,
        "Conflict");
  }

  @Test
  default void aPatchIsHeldToTheSchema() {
    String name = freshName();
    createRun(name);
    var answer =
        server().mergePatch(runs() + "/" + name, "{\"spec\": {\"timeoutSeconds\": \"soon\"}}");
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("spec.timeoutSeconds");
  }

  @Test
  default void aPatchThatIsNoneIsRefused() {
    String path =
        configMaps() + "/" + createConfigMap(freshName(), "").at("/metadata/name").asText();
    assertRefused(server().jsonPatch(path, "{}"), 400, "BadRequest");
    assertRefused(server().mergePatch(path, "nonsense"), 400, "BadRequest");
    assertRefused(
        server().send("PATCH", path, "application/json", "{}"), 415, "UnsupportedMediaType");
  }

  @Test
  default void aCustomResourceKnowsNoStrategicMergePatch() {
    String name = freshName();
    createRun(name);
    assertRefused(
        server().send("PATCH", runs() + "/" + name, "application/strategic-merge-patch+json", "{}"),
        415,
        "UnsupportedMediaType");
  }

  @Test
  default void whatIsNotThereIsNotPatched() {
    assertRefused(
        server().mergePatch(runs() + "/" + freshName(), "{\"spec\": {\"cancel\": true}}"),
        404,
        "NotFound");
  }
}
