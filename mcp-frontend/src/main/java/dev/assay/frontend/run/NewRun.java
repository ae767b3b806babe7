package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.digest.Sha256;
import dev.assay.api.logging.TraceId;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.identity.Identity;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run that is wanted.
 *
 * @param name that no other run has
 * @param spec all but the caller
 */
public record NewRun(String name, AnalyticsRunSpec spec) {
  private static final Set<Language> CALLING =
      Set.of(Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT);

  /** A member that is added in a later version changes no digest of a spec without it. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .changeDefaultPropertyInclusion(
              usual -> usual.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();

  /**
   * The digest of what is asked for, whoever asks in which request. The API server adds defaults,
   * so that the spec of a run is not the one that it was created with.
   */
  private String digest() {
    return Sha256.hex(JSON.writeValueAsString(spec.withRequestId(null)));
  }

  /** The same, with a mark by which a repetition of its request knows it. */
  public AnalyticsRun repeatable(CallContext call) {
    AnalyticsRun run = of(call);
    run.getMetadata()
        .setAnnotations(
            Map.of(TraceId.ANNOTATION, call.traceId(), RunState.REQUEST_SHA256, digest()));
    return run;
  }

  /** The object to create for a call. */
  public AnalyticsRun of(CallContext call) {
    Identity identity = call.identity();
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(identity.namespace())
            .withName(name)
            .withAnnotations(Map.of(TraceId.ANNOTATION, call.traceId()))
            .build());
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
