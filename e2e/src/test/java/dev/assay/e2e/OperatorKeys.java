package dev.assay.e2e;

import static java.util.Objects.requireNonNull;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.concurrent.TimeUnit;

/** The signing keys of the operator. */
final class OperatorKeys {
  private static final String NAME = "assay-operator-keys";
  private static final long SETTLE_SECONDS = 200;
  private static final long ROTATION_SECONDS = 60;

  private final String namespace;
  private final Resource<Secret> secret;

  OperatorKeys(Assay assay) {
    this.namespace = assay.installation().systemNamespace();
    this.secret = assay.kubernetes().secrets().inNamespace(namespace).withName(NAME);
  }

  /** Waits until there is no previous key: one rotation at a time. */
  void awaitSettled() {
    secret.waitUntilCondition(
        seen -> seen != null && !seen.getData().containsKey("previous.id"),
        SETTLE_SECONDS,
        TimeUnit.SECONDS);
  }

  /** The id of the current key. */
  String current() {
    return requireNonNull(secret.require().getData().get("current.id"));
  }

  /** Requests a new key; returns the Secret once it has one. */
  Secret rotate() {
    String before = current();
    Programs.kubectl(
            "-n",
            namespace,
            "annotate",
            "secret",
            NAME,
            "assay.dev/rotate-signing-key=now",
            "--overwrite")
        .orFail();
    return secret.waitUntilCondition(
        seen -> seen != null && !before.equals(seen.getData().get("current.id")),
        ROTATION_SECONDS,
        TimeUnit.SECONDS);
  }
}
