package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** Creating: metadata, defaults, pruning, and rejections. */
interface CreateContract extends Contract {
  @Test
  default void anObjectGetsItsMetadata() {
    String name = freshName();
    JsonNode run = createRun(name);
    assertThat(run.at("/metadata/uid").asText()).hasSize(36);
    assertThat(run.at("/metadata/generation").asInt()).isEqualTo(1);
    assertThat(run.at("/metadata/namespace").asText()).isEqualTo(namespace());
    assertThat(version(run)).isNotEmpty();
    assertThat(run.at("/metadata/creationTimestamp").asText()).matches("[0-9-]{10}T[0-9:]{8}Z");
    assertThat(server().get(runs() + "/" + name).orFail().at("/metadata/uid"))
        .isEqualTo(run.at("/metadata/uid"));
  }

  @Test
  default void defaultsAreSetAndUnknownFieldsDropped() {
    String name = freshName();
    JsonNode run =
        server()
            .post(runs(), run(name, "print(1)").replace("\"code\"", "\"nonsense\": 1, \"code\""))
            .orFail();
    assertThat(run.at("/spec/language").asText()).isEqualTo("python");
    assertThat(run.at("/spec").has("nonsense")).isFalse();
  }

  @Test
  default void aNullWhereNoneMayBeIsDropped() {
    JsonNode run =
        server()
            .post(
                runs(),
                run(freshName(), "print(1)")
                    .replace("\"code\"", "\"timeoutSeconds\": null, \"language\": null, \"code\""))
            .orFail();
    assertThat(run.at("/spec").has("timeoutSeconds")).isFalse();
    assertThat(run.at("/spec/language").asText()).isEqualTo("python");
  }

  @Test
  default void optionsOfAnyShapeAreKept() {
    String options =
        "{\"header\":null,\"dtype\":{\"zip\":\"str\"},\"names\":[\"b\",\"a\"],\"skiprows\":2}";
    JsonNode dataset =
        server()
            .post(
                "/apis/assay.dev/v1alpha1/namespaces/" + namespace() + "/datasets",
                """
                {"apiVersion": "assay.dev/v1alpha1", "kind": "Dataset",
                 "metadata": {"name": "%s"},
                 "spec": {"source": {"format": "csv", "inline": {"text": "1,2"}, "options": %s}}}
                """
                    .formatted(freshName(), options))
            .orFail();
    JsonNode kept = dataset.at("/spec/source/options");
    assertThat(kept.has("header")).isTrue();
    assertThat(kept.at("/dtype/zip").asText()).isEqualTo("str");
    assertThat(kept.at("/names/0").asText()).isEqualTo("b");
    assertThat(kept.at("/skiprows").asInt()).isEqualTo(2);
  }

  @Test
  default void unknownFieldsAreRefusedOnRequest() {
    var answer =
        server()
            .post(
                runs() + "?fieldValidation=Strict",
                run(freshName(), "print(1)").replace("\"code\"", "\"nonsense\": 1, \"code\""));
    assertRefused(answer, 400, "BadRequest");
    assertThat(answer.message()).contains("unknown field \"spec.nonsense\"");
  }

  @Test
  default void statusCannotBeSetByACreate() {
    String name = freshName();
    JsonNode run =
        server()
            .post(
                runs(),
                run(name, "print(1)")
                    .replace("\"spec\"", "\"status\": {\"phase\": \"Succeeded\"}, \"spec\""))
            .orFail();
    assertThat(run.has("status")).isFalse();
  }

  @Test
  default void aNameIsGenerated() {
    JsonNode run =
        server()
            .post(runs(), run("x", "1").replace("\"name\": \"x\"", "\"generateName\": \"made-\""))
            .orFail();
    assertThat(run.at("/metadata/name").asText()).matches("made-[a-z0-9]{5}");
  }

  @Test
  default void aNameIsTakenOnce() {
    String name = freshName();
    createRun(name);
    var answer = server().post(runs(), run(name, "print(2)"));
    assertRefused(answer, 409, "AlreadyExists");
    assertThat(answer.message())
        .contains("analyticsruns.assay.dev \"" + name + "\" already exists");
  }

  @Test
  default void anObjectWithoutANameIsRefused() {
    assertRefused(
        server().post(runs(), run("x", "1").replace("\"name\": \"x\",", "")), 422, "Invalid");
  }

  @Test
  default void aNameThatIsNoneIsRefused() {
    var answer = server().post(runs(), run("Not_A_Name", "1"));
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("metadata.name");
  }

  @Test
  default void aLabelThatIsNoneIsRefused() {
    var answer =
        server().post(configMaps(), configMap(freshName(), ", \"labels\": {\"a\": \"b c\"}"));
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("metadata.labels");
  }

  @Test
  default void aNamespaceHasToBeThere() {
    var answer =
        server()
            .post(
                "/apis/assay.dev/v1alpha1/namespaces/no-such-namespace/analyticsruns",
                run(freshName(), "1"));
    assertRefused(answer, 404, "NotFound");
    assertThat(answer.message()).contains("namespaces \"no-such-namespace\" not found");
  }

  @Test
  default void anotherNamespaceInTheObjectIsRefused() {
    String body =
        run(freshName(), "1").replace("\"labels\"", "\"namespace\": \"other\", \"labels\"");
    assertRefused(server().post(runs(), body), 400, "BadRequest");
  }

  @Test
  default void anotherKindInTheObjectIsRefused() {
    String body = configMap(freshName(), "").replace("ConfigMap", "Secret");
    assertRefused(server().post(configMaps(), body), 400, "BadRequest");
  }

  @Test
  default void whatCannotBeReadAsItsKindIsRefused() {
    String body = configMap(freshName(), "").replace("{\"a\": \"1\"}", "[1]");
    assertRefused(server().post(configMaps(), body), 400, "BadRequest");
  }

  @Test
  default void aDryRunStoresNothing() {
    String name = freshName();
    server().post(runs() + "?dryRun=All", run(name, "1")).orFail();
    assertRefused(server().get(runs() + "/" + name), 404, "NotFound");
  }

  @Test
  default void aPodIsPendingAtFirst() {
    JsonNode pod = createPod(freshName());
    assertThat(pod.at("/status/phase").asText()).isEqualTo("Pending");
    assertThat(pod.at("/spec/terminationGracePeriodSeconds").asInt()).isEqualTo(30);
    assertThat(pod.at("/spec/restartPolicy").asText()).isEqualTo("Always");
  }

  @Test
  default void aPodWithoutContainersIsRefused() {
    var answer =
        server()
            .post(
                pods(),
                """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
                 "spec": {"containers": []}}"""
                    .formatted(freshName()));
    assertRefused(answer, 422, "Invalid");
    assertThat(answer.message()).contains("spec.containers: Required value");
  }

  @Test
  default void theTextsOfASecretAreStoredAsData() {
    JsonNode secret =
        server()
            .post(
                "/api/v1/namespaces/" + namespace() + "/secrets",
                """
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s"},
                 "stringData": {"a": "hello"}}"""
                    .formatted(freshName()))
            .orFail();
    assertThat(secret.at("/data/a").asText()).isEqualTo("aGVsbG8=");
    assertThat(secret.at("/type").asText()).isEqualTo("Opaque");
    assertThat(secret.has("stringData")).isFalse();
  }

  @Test
  default void aLeaseKeepsItsTimes() {
    JsonNode lease =
        server()
            .post(
                "/apis/coordination.k8s.io/v1/namespaces/" + namespace() + "/leases",
                """
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"name": "%s"},
                 "spec": {"holderIdentity": "one", "leaseDurationSeconds": 15,
                          "renewTime": "2026-01-01T00:00:00.123456Z"}}"""
                    .formatted(freshName()))
            .orFail();
    assertThat(lease.at("/spec/renewTime").asText()).isEqualTo("2026-01-01T00:00:00.123456Z");
  }
}
