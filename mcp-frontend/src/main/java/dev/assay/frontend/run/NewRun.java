package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.frontend.identity.Identity;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;

/**
 * A run that is wanted.
 *
 * @param name that no other run has
 * @param spec all but the caller
 */
public record NewRun(String name, AnalyticsRunSpec spec) {

  /** The object to create for a caller. */
  public AnalyticsRun of(Identity identity) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder().withNamespace(identity.namespace()).withName(name).build());
    run.setSpec(spec.withCaller(identity.caller()));
    return run;
  }
}
