package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Limits the number of Pods in the run namespace until it is closed. */
final class PodQuota implements AutoCloseable {
  private static final String NAME = "e2e-pods";
  private static final int MAX_SECONDS = 60;

  private final Assay assay;

  /** Sets the limit; replaces a quota of an earlier test run. */
  PodQuota(Assay assay, int pods) {
    this.assay = assay;
    close();
    assay
        .kubernetes()
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(assay.namespace())
                .endMetadata()
                .withNewSpec()
                .withHard(hard(pods))
                .endSpec()
                .build())
        .create();
    awaitEffect(pods);
  }

  /** Changes the limit. */
  void allow(int pods) {
    resource()
        .edit(
            quota -> {
              quota.getSpec().setHard(hard(pods));
              return quota;
            });
    awaitEffect(pods);
  }

  private void awaitEffect(int pods) {
    resource()
        .waitUntilCondition(
            quota ->
                quota != null
                    && quota.getStatus() != null
                    && hard(pods).equals(quota.getStatus().getHard()),
            MAX_SECONDS,
            TimeUnit.SECONDS);
  }

  private static Map<String, Quantity> hard(int pods) {
    return Map.of("pods", new Quantity(Integer.toString(pods)));
  }

  private Resource<ResourceQuota> resource() {
    return assay.kubernetes().resourceQuotas().inNamespace(assay.namespace()).withName(NAME);
  }

  @Override
  public void close() {
    resource().delete();
    resource().waitUntilCondition(gone -> gone == null, MAX_SECONDS, TimeUnit.SECONDS);
  }
}
