package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.contract.ApiServer.Answer;
import org.junit.jupiter.api.Test;

/** Deleting: preconditions, finalizers, owners, and grace periods of Pods. */
interface DeletionContract extends Contract {
  private String ownedBy(JsonNode... owners) {
    StringBuilder references = new StringBuilder();
    for (JsonNode owner : owners) {
      references
          .append(references.isEmpty() ? "" : ", ")
          .append(
              """
              {"apiVersion": "v1", "kind": "ConfigMap", "name": "%s", "uid": "%s"}"""
                  .formatted(
                      owner.at("/metadata/name").asText(), owner.at("/metadata/uid").asText()));
    }
    return ", \"ownerReferences\": [" + references + "]";
  }

  @Test
  default void whatIsDeletedIsGone() {
    String name = freshName();
    JsonNode run = createRun(name);
    JsonNode status = server().delete(runs() + "/" + name).orFail();
    assertThat(status.path("status").asText()).isEqualTo("Success");
    assertThat(status.at("/details/uid")).isEqualTo(run.at("/metadata/uid"));
    Answer answer = server().get(runs() + "/" + name);
    assertRefused(answer, 404, "NotFound");
    assertThat(answer.at("/details/name")).isEqualTo(name);
    assertThat(answer.message()).isEqualTo("analyticsruns.assay.dev \"" + name + "\" not found");
    assertRefused(server().delete(runs() + "/" + name), 404, "NotFound");
  }

  @Test
  default void preconditionsAreHeld() {
    String name = freshName();
    JsonNode run = createRun(name);
    String path = runs() + "/" + name;
    assertRefused(
        server()
            .delete(
                path, "{\"preconditions\": {\"uid\": \"11111111-1111-1111-1111-111111111111\"}}"),
        409,
        "Conflict");
    assertRefused(
        server().delete(path, "{\"preconditions\": {\"resourceVersion\": \"1\"}}"),
        409,
        "Conflict");
    server()
        .delete(
            path,
            "{\"preconditions\": {\"uid\": \"%s\", \"resourceVersion\": \"%s\"}}"
                .formatted(run.at("/metadata/uid").asText(), version(run)))
        .orFail();
  }

  @Test
  default void aDryRunDeletesNothing() {
    String name = freshName();
    createRun(name);
    server().delete(runs() + "/" + name + "?dryRun=All").orFail();
    server().get(runs() + "/" + name).orFail();
  }

  @Test
  default void aFinalizerHoldsAnObject() {
    String name = freshName();
    String path = configMaps() + "/" + name;
    createConfigMap(name, ", \"finalizers\": [\"assay.dev/test\"]");
    JsonNode held = server().delete(path).orFail();
    assertThat(held.at("/metadata/deletionTimestamp").asText()).isNotEmpty();
    assertThat(version(server().delete(path).orFail())).isEqualTo(version(held));
    assertRefused(
        server()
            .mergePatch(
                path, "{\"metadata\": {\"finalizers\": [\"assay.dev/test\", \"assay.dev/more\"]}}"),
        422,
        "Invalid");
    server().mergePatch(path, "{\"data\": {\"b\": \"2\"}}").orFail();
    server().mergePatch(path, "{\"metadata\": {\"finalizers\": null}}").orFail();
    assertRefused(server().get(path), 404, "NotFound");
  }

  @Test
  default void beingDeletedIsAnotherGeneration() {
    String name = freshName();
    String path = runs() + "/" + name;
    createRun(name);
    server().mergePatch(path, "{\"metadata\": {\"finalizers\": [\"assay.dev/test\"]}}").orFail();
    assertThat(server().delete(path).orFail().at("/metadata/generation").asInt()).isEqualTo(2);
    assertThat(server().delete(path).orFail().at("/metadata/generation").asInt()).isEqualTo(2);
    server().mergePatch(path, "{\"metadata\": {\"finalizers\": null}}").orFail();
  }

  @Test
  default void dependentsGoWithTheirOwner() {
    String name = freshName();
    JsonNode owner = createConfigMap(name, "");
    JsonNode child = createConfigMap(name + "-child", ownedBy(owner));
    createConfigMap(name + "-grandchild", ownedBy(child));
    server().delete(configMaps() + "/" + name).orFail();
    awaitGone(configMaps(), name + "-child");
    awaitGone(configMaps(), name + "-grandchild");
  }

  @Test
  default void aDependentOfTwoStaysWithTheOther() {
    String name = freshName();
    JsonNode one = createConfigMap(name + "-one", "");
    JsonNode two = createConfigMap(name + "-two", "");
    JsonNode child = createConfigMap(name + "-child", ownedBy(one, two));
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?fieldSelector=metadata.name=%s-child&resourceVersion=%s"
                        .formatted(name, version(child)))) {
      server().delete(configMaps() + "/" + name + "-one").orFail();
      WatchStream.Event left = watch.next();
      assertThat(left.type()).isEqualTo("MODIFIED");
      assertThat(left.object().at("/metadata/ownerReferences")).hasSize(1);
      server().delete(configMaps() + "/" + name + "-two").orFail();
      assertThat(watch.until(event -> event.type().equals("DELETED"))).isNotEmpty();
    }
  }

  @Test
  default void anOrphanStays() {
    String name = freshName();
    JsonNode owner = createConfigMap(name, "");
    JsonNode child = createConfigMap(name + "-child", ownedBy(owner));
    try (WatchStream watch =
        server()
            .watch(
                configMaps()
                    + "?fieldSelector=metadata.name=%s-child&resourceVersion=%s"
                        .formatted(name, version(child)))) {
      server().delete(configMaps() + "/" + name, "{\"propagationPolicy\": \"Orphan\"}").orFail();
      WatchStream.Event orphaned = watch.next();
      assertThat(orphaned.type()).isEqualTo("MODIFIED");
      assertThat(orphaned.object().at("/metadata").has("ownerReferences")).isFalse();
    }
  }

  @Test
  default void whoseOwnerIsGoneAlreadyGoesToo() {
    String name = freshName();
    JsonNode owner = createConfigMap(name, "");
    server().delete(configMaps() + "/" + name).orFail();
    createConfigMap(name + "-late", ownedBy(owner));
    awaitGone(configMaps(), name + "-late");
  }

  @Test
  default void aCollectionIsDeletedByItsLabels() {
    String group = freshName();
    createConfigMap(group + "-1", ", \"labels\": {\"group\": \"" + group + "\"}");
    createConfigMap(group + "-2", ", \"labels\": {\"group\": \"" + group + "\"}");
    createConfigMap(group + "-3", "");
    server().delete(configMaps() + "?labelSelector=group=" + group).orFail();
    assertRefused(server().get(configMaps() + "/" + group + "-1"), 404, "NotFound");
    assertRefused(server().get(configMaps() + "/" + group + "-2"), 404, "NotFound");
    server().get(configMaps() + "/" + group + "-3").orFail();
  }

  @Test
  default void aPodThatIsOnNoNodeGoesAtOnce() {
    String name = freshName();
    createPod(name);
    JsonNode deleted =
        server().delete(pods() + "/" + name, "{\"gracePeriodSeconds\": 30}").orFail();
    assertThat(deleted.path("kind").asText()).isEqualTo("Pod");
    assertRefused(server().get(pods() + "/" + name), 404, "NotFound");
  }

  @Test
  default void aPodOnANodeStaysUntilItsEndIsConfirmed() {
    String name = freshName();
    String path = pods() + "/" + name;
    createPod(name);
    server()
        .post(
            path + "/binding",
            """
            {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
             "target": {"apiVersion": "v1", "kind": "Node", "name": "no-such-node"}}"""
                .formatted(name))
        .orFail();
    assertThat(server().get(path).at("/spec/nodeName")).isEqualTo("no-such-node");
    JsonNode going = server().delete(path, "{\"gracePeriodSeconds\": 20}").orFail();
    assertThat(going.at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(20);
    assertThat(going.at("/metadata/deletionTimestamp").asText()).isNotEmpty();
    server().get(path).orFail();
    server().delete(path, "{\"gracePeriodSeconds\": 0}").orFail();
    assertRefused(server().get(path), 404, "NotFound");
  }
}
