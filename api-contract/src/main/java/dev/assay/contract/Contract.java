package dev.assay.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.contract.ApiServer.Answer;
import java.util.UUID;

/** What all parts of the contract have in common. */
public interface Contract {
  /** The server to judge. */
  ApiServer server();

  /** A namespace for these tests alone, in which nothing runs and no quota is set. */
  String namespace();

  /** Where the runs of the namespace are. */
  default String runs() {
    return "/apis/assay.dev/v1alpha1/namespaces/" + namespace() + "/analyticsruns";
  }

  /** Where the ConfigMaps of the namespace are. */
  default String configMaps() {
    return "/api/v1/namespaces/" + namespace() + "/configmaps";
  }

  /** Where the Pods of the namespace are. */
  default String pods() {
    return "/api/v1/namespaces/" + namespace() + "/pods";
  }

  /** A name that no other test has. */
  default String freshName() {
    return "c-" + UUID.randomUUID();
  }

  /** Creates a run that is as small as can be. */
  default JsonNode createRun(String name) {
    return server().post(runs(), run(name, "print(1)")).orFail();
  }

  /** A run with one label, {@code test}, that has its name. */
  default String run(String name, String code) {
    return """
        {"apiVersion": "assay.dev/v1alpha1", "kind": "AnalyticsRun",
         "metadata": {"name": "%s", "labels": {"test": "%s"}}, "spec": {"code": "%s"}}"""
        .formatted(name, name, code);
  }

  /**
   * Creates a ConfigMap; {@code metadata} is further members of its metadata, each after a comma.
   */
  default JsonNode createConfigMap(String name, String metadata) {
    return server().post(configMaps(), configMap(name, metadata)).orFail();
  }

  /** A ConfigMap with {@code data.a} of 1. */
  default String configMap(String name, String metadata) {
    return """
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "%s"%s}, "data": {"a": "1"}}"""
        .formatted(name, metadata);
  }

  /** Creates a Pod that no scheduler looks at. */
  default JsonNode createPod(String name) {
    return server()
        .post(
            pods(),
            """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
             "spec": {"schedulerName": "nobody", "automountServiceAccountToken": false,
                      "containers": [{"name": "main", "image": "example.invalid/none"}]}}"""
                .formatted(name))
        .orFail();
  }

  /** The resourceVersion of an object or a list. */
  default String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").asText();
  }

  /** Waits until an object is gone. */
  default void awaitGone(String collection, String name) {
    JsonNode list = server().get(collection + "?fieldSelector=metadata.name=" + name).orFail();
    if (list.path("items").isEmpty()) {
      return;
    }
    try (WatchStream watch =
        server()
            .watch(
                "%s?fieldSelector=metadata.name=%s&resourceVersion=%s"
                    .formatted(collection, name, version(list)))) {
      var unused = watch.until(event -> event.type().equals("DELETED"));
    }
  }

  /** Fails unless an answer is a Status of that code and reason. */
  default void assertRefused(Answer answer, int code, String reason) {
    if (answer.code() != code
        || !answer.at("/kind").equals("Status")
        || !answer.at("/status").equals("Failure")
        || !answer.at("/reason").equals(reason)
        || answer.body().path("code").asInt() != code) {
      throw new AssertionError(
          "expected %d %s, found %d: %s".formatted(code, reason, answer.code(), answer.body()));
    }
  }
}
