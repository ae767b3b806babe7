package dev.assay.e2e;

import dev.assay.contract.ApiServer;
import dev.assay.contract.ApiServer.Answer;
import java.util.List;

/**
 * A write of a user of kubectl, of which the API server only says whether it would be done.
 *
 * @param name what it does
 * @param path the object, or the collection of a new one; NAMESPACE is the run namespace
 * @param body the new object or a merge patch, with apostrophes for quotes; USER is who writes
 */
record TenantWrite(String name, String method, String path, String body) {
  private static final String RUNS = "/apis/assay.dev/v1alpha1/namespaces/NAMESPACE/analyticsruns";
  private static final String DATASETS = "/apis/assay.dev/v1alpha1/namespaces/NAMESPACE/datasets";
  private static final String SERVERS = "/apis/assay.dev/v1alpha1/namespaces/NAMESPACE/toolservers";
  private static final String PODS = "/api/v1/namespaces/NAMESPACE/pods";
  private static final String OPERATORS = PODS + "/e2e-operators";
  private static final String USERS = PODS + "/e2e-users";
  private static final String STATUS = "{'status': {'message': 'forged'}}";

  static final List<TenantWrite> ALL =
      List.of(
          run("a run of nobody", ""),
          run("a run of one's own", ", 'caller': 'USER'"),
          run("a run of alice", ", 'caller': 'alice'"),
          patch("the run of alice: to bob", RUNS + "/e2e-tenants", spec("'caller': 'bob'")),
          patch("the run of alice: cancel", RUNS + "/e2e-tenants", spec("'cancel': true")),
          run("a run of class python", ", 'className': 'python'"),
          run("a run of class sql", ", 'className': 'sql'"),
          dataset("a dataset of nobody", "'className': 'python'"),
          dataset("a dataset of one's own", "'className': 'python', 'caller': 'USER'"),
          dataset("a dataset of alice", "'className': 'python', 'caller': 'alice'"),
          dataset("a dataset of no class", "'displayName': 'e2e'"),
          patch("the dataset of alice: to bob", DATASETS + "/e2e-tenants", spec("'caller': 'bob'")),
          patch(
              "the dataset of alice: to nobody", DATASETS + "/e2e-tenants", spec("'caller': null")),
          patch("the dataset of alice: reload", DATASETS + "/e2e-tenants", spec("'loadId': '2'")),
          patch(
              "the dataset of alice: class snapshot",
              DATASETS + "/e2e-tenants",
              spec("'className': 'snapshot'")),
          patch("the status of a run", RUNS + "/e2e-tenants/status", STATUS),
          patch("the status of a dataset", DATASETS + "/e2e-tenants/status", STATUS),
          patch("the status of a tool server", SERVERS + "/e2e-tenants/status", STATUS),
          pod("a Pod", "'app': 'e2e'"),
          pod("a Pod with a label of the operator", "'assay.dev/runner-pod': 'true'"),
          patch("a Pod: annotate", USERS, metadata("'annotations': {'e2e': 'true'}")),
          patch("a Pod: label as the operator", USERS, metadata("'labels': {'assay.dev/e2e': ''}")),
          patch("the operator's Pod: annotate", OPERATORS, metadata("'annotations': {'e2e': ''}")),
          patch(
              "the operator's Pod: raise a limit",
              OPERATORS,
              metadata("'annotations': {'assay.dev/timeout-seconds': '600'}")),
          patch(
              "the operator's Pod: remove the label",
              OPERATORS,
              metadata("'labels': {'assay.dev/e2e': null}")),
          patch("the operator's Pod: another image", OPERATORS, spec(containers("containers"))),
          patch(
              "the operator's Pod: debug",
              OPERATORS + "/ephemeralcontainers",
              spec(containers("ephemeralContainers"))));

  private static TenantWrite run(String name, String spec) {
    return create(
        name,
        RUNS,
        "{'apiVersion': 'assay.dev/v1alpha1', 'kind': 'AnalyticsRun',"
            + " 'metadata': {'generateName': 'e2e-'}, 'spec': {'code': '1'"
            + spec
            + "}}");
  }

  private static TenantWrite dataset(String name, String spec) {
    return create(
        name,
        DATASETS,
        "{'apiVersion': 'assay.dev/v1alpha1', 'kind': 'Dataset',"
            + " 'metadata': {'generateName': 'e2e-'},"
            + " 'spec': {'source': {'format': 'csv', 'inline': {'text': 'a'}}, "
            + spec
            + "}}");
  }

  private static TenantWrite pod(String name, String labels) {
    return create(
        name,
        PODS,
        "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'generateName': 'e2e-', 'labels': {"
            + labels
            + "}}, 'spec': {'securityContext': {'runAsNonRoot': true, 'runAsUser': 65532,"
            + " 'seccompProfile': {'type': 'RuntimeDefault'}}, "
            + containers("containers")
            + "}}");
  }

  private static String containers(String field) {
    String name = field.equals("containers") ? "worker" : "debugger";
    return "'%s': [{'name': '%s', 'image': 'e2e-absent', 'securityContext':".formatted(field, name)
        + " {'allowPrivilegeEscalation': false, 'capabilities': {'drop': ['ALL']}}}]";
  }

  private static String spec(String fields) {
    return "{'spec': {" + fields + "}}";
  }

  private static String metadata(String fields) {
    return "{'metadata': {" + fields + "}}";
  }

  private static TenantWrite create(String name, String path, String body) {
    return new TenantWrite(name, "POST", path, body);
  }

  private static TenantWrite patch(String name, String path, String body) {
    return new TenantWrite(name, "PATCH", path, body);
  }

  /** What the API server answers a user. */
  Answer send(ApiServer server, String user, String namespace) {
    // A strategic merge patch keeps the other fields of a container; only core kinds know it.
    String type =
        method.equals("POST")
            ? "application/json"
            : path.startsWith("/api/")
                ? "application/strategic-merge-patch+json"
                : "application/merge-patch+json";
    return server.send(
        method,
        path.replace("NAMESPACE", namespace) + "?dryRun=All",
        type,
        body.replace('\'', '"').replace("USER", user));
  }
}
