package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.frontend.identity.Identity;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run that is wanted.
 *
 * @param name that no other run has
 * @param spec all but the caller
 */
public record NewRun(String name, AnalyticsRunSpec spec) {
  private static final Set<Language> CALLING =
      Set.of(Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT);

  /** The object to create for a caller. */
  public AnalyticsRun of(Identity identity) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder().withNamespace(identity.namespace()).withName(name).build());
    run.setSpec(spec.withCaller(identity.caller()).withTools(tools(identity)));
    return run;
  }

  /** What a key grants goes with every run whose code could call tools. */
  private @Nullable RunTools tools(Identity identity) {
    return identity.grants() == null || spec.code() == null || !CALLING.contains(spec.language())
        ? spec.tools()
        : (spec.tools() == null ? new RunTools(null, null, null, null) : spec.tools())
            .withGranted(identity.grants());
  }
}
