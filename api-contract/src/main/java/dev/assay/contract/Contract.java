package dev.assay.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.contract.ApiServer.Answer;
import java.util.UUID;

/** The common base of all parts of the contract. */
public interface Contract {
  /** The server under test. */
  ApiServer server();

  /** A namespace for these tests only, without workloads or quotas. */
  String namespace();

  /** The path of the namespace's runs. */
  default String runs() {
    return "/apis/assay.dev/v1alpha1/namespaces/" + namespace() + "/analyticsruns";
  }

  /** The path of the namespace's ConfigMaps. */
  default String configMaps() {
    return "/api/v1/namespaces/" + namespace() + "/configmaps";
  }

  /** The path of the namespace's Pods. */
  default String pods() {
    return "/api/v1/namespaces/" + namespace() + "/pods";
  }

  /** A unique name. */
  default String freshName() {
    return "c-" + UUID.randomUUID();
  }

  /** Creates a minimal run. */
  default JsonNode createRun(String name) {
    return server().post(runs(), run(name, "print(1)")).orFail();
  }

  /** Creates a run with one label, {@code test}, whose value is its name. */
  default String run(String name, String code) {
    return """
        {"apiVersion": "assay.dev/v1alpha1", "kind": "AnalyticsRun",
         "metadata": {"name": "%s", "labels": {"test": "%s"}}, "spec": {"code": "%s"}}"""
        .formatted(name, name, code);
  }

  /**
   * Creates a ConfigMap; {@code metadata} is further fields of its metadata, each after a comma.
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

  /** Creates a Pod that no scheduler handles. */
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

  /** Waits until an object is deleted. */
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

  /** Fails unless the response is a Status with this code and reason. */
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
