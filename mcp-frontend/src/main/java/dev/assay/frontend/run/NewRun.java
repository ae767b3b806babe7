package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.identity.Identity;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that is wanted.
 *
 * @param name that no other run has
 * @param className the RunClass
 * @param code source text
 * @param datasets resource names of datasets; the first is {@code df}
 * @param timeoutSeconds time limit of the code
 * @param tool the MCP tool it came through; null for none
 * @param requestId of the call; at most 128 characters
 */
public record NewRun(
    String name,
    String className,
    String code,
    List<String> datasets,
    int timeoutSeconds,
    @Nullable String tool,
    String requestId) {

  /** The object to create for a caller. */
  public AnalyticsRun of(Identity identity) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder().withNamespace(identity.namespace()).withName(name).build());
    run.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .className(className)
            .language(Language.PYTHON)
            .code(code)
            .datasets(datasets.isEmpty() ? null : datasets)
            .timeoutSeconds(timeoutSeconds)
            .caller(identity.caller())
            .tool(tool)
            .requestId(requestId)
            .build());
    return run;
  }
}
