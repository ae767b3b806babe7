package dev.assay.operator.kubernetes;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunFile;
import java.io.IOException;
import java.io.Serial;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Has runs deserialized with empty texts and without results, after {@link NewRuns} was given those
 * of new ones. An annotation has how long they were.
 */
final class LightRuns extends SimpleModule {
  @Serial private static final long serialVersionUID = 1;

  LightRuns(NewRuns newRuns) {
    super("assay-light-runs");
    setDeserializerModifier(new Modifier(newRuns));
  }

  private static final class Modifier extends BeanDeserializerModifier {
    @Serial private static final long serialVersionUID = 1;

    private final transient NewRuns newRuns;

    Modifier(NewRuns newRuns) {
      this.newRuns = newRuns;
    }

    @Override
    public JsonDeserializer<?> modifyDeserializer(
        DeserializationConfig config,
        BeanDescription description,
        JsonDeserializer<?> deserializer) {
      return description.getBeanClass() == AnalyticsRun.class
          ? new WithoutTexts(newRuns, deserializer)
          : deserializer;
    }
  }

  private static final class WithoutTexts extends DelegatingDeserializer {
    @Serial private static final long serialVersionUID = 1;

    private final transient NewRuns newRuns;

    WithoutTexts(NewRuns newRuns, JsonDeserializer<?> whole) {
      super(whole);
      this.newRuns = newRuns;
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> whole) {
      return new WithoutTexts(newRuns, whole);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      AnalyticsRun run = (AnalyticsRun) super.deserialize(parser, context);
      if (run.getSpec() != null) {
        newRuns.keep(run);
        lighten(run);
      }
      return run;
    }
  }

  private static void lighten(AnalyticsRun run) {
    Map<String, String> annotations =
        new HashMap<>(requireNonNullElse(run.getMetadata().getAnnotations(), Map.of()));
    annotations.put(RunBytes.ANNOTATION, Long.toString(RunBytes.count(run)));
    run.getMetadata().setAnnotations(annotations);
    run.setSpec(withoutTexts(run.getSpec()));
    if (run.getStatus() != null) {
      run.setStatus(run.getStatus().withResult(null).withArtifacts(null));
    }
  }

  private static AnalyticsRunSpec withoutTexts(AnalyticsRunSpec spec) {
    BuiltinSpec builtin = spec.builtin();
    List<RunFile> files = spec.files();
    return spec.with(
        builder ->
            builder
                .code(spec.code() == null ? null : "")
                .input(spec.input() == null ? null : "")
                .builtin(
                    builtin == null || builtin.arguments() == null
                        ? builtin
                        : new BuiltinSpec(builtin.name(), ""))
                .files(
                    files == null
                        ? null
                        : files.stream().map(file -> new RunFile(file.path(), "")).toList()));
  }
}
