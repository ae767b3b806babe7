package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.RunFile;
import java.io.IOException;
import java.io.Serial;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The specs of runs that were just created, as the watch brought them: a run that starts at once
 * needs no read of its code. They are immutable but for {@code cancel}. The oldest go first.
 */
public final class NewRuns {
  private static final int MAX_CHARACTERS = 8 << 20;

  private final Map<String, AnalyticsRunSpec> specs = new LinkedHashMap<>();
  private int characters;

  /** The spec with its texts, if it is still there; afterwards it is not. */
  public synchronized Optional<AnalyticsRunSpec> take(AnalyticsRun run) {
    AnalyticsRunSpec spec = specs.remove(run.getMetadata().getUid());
    if (spec != null) {
      characters -= size(spec);
    }
    return Optional.ofNullable(spec);
  }

  private synchronized void keep(String uid, AnalyticsRunSpec spec) {
    AnalyticsRunSpec before = specs.put(uid, spec);
    characters += size(spec) - (before == null ? 0 : size(before));
    Iterator<AnalyticsRunSpec> oldest = specs.values().iterator();
    while (characters > MAX_CHARACTERS) {
      characters -= size(oldest.next());
      oldest.remove();
    }
  }

  private static int size(AnalyticsRunSpec spec) {
    // What else there is in it is bounded.
    int fixed = 1024;
    int texts = length(spec.code()) + length(spec.input());
    if (spec.builtin() != null) {
      texts += length(spec.builtin().arguments());
    }
    if (spec.files() != null) {
      texts += spec.files().stream().mapToInt(file -> length(file.text())).sum();
    }
    return fixed + texts;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /** Copies of what is cached are deserialized, too: their texts are empty. */
  private static boolean hasTexts(AnalyticsRunSpec spec) {
    return Stream.concat(
            Stream.of(
                    spec.code(),
                    spec.input(),
                    spec.builtin() == null ? null : spec.builtin().arguments())
                .flatMap(Stream::ofNullable),
            spec.fileList().stream().map(RunFile::text))
        .noneMatch(String::isEmpty);
  }

  private AnalyticsRun withoutTexts(AnalyticsRun run) {
    AnalyticsRunSpec spec = run.getSpec();
    if (spec == null) {
      return run;
    }
    if (run.getStatus() == null && run.getMetadata().getUid() != null && hasTexts(spec)) {
      keep(run.getMetadata().getUid(), spec);
    }
    BuiltinSpec builtin = spec.builtin();
    List<RunFile> files = spec.files();
    run.setSpec(
        spec.with(
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
                            : files.stream().map(file -> new RunFile(file.path(), "")).toList())));
    return run;
  }

  /** Has runs deserialized without their texts, and keeps those of new ones. */
  Module module() {
    return new SimpleModule("assay-new-runs")
        .setDeserializerModifier(
            new BeanDeserializerModifier() {
              @Serial private static final long serialVersionUID = 1;

              @Override
              public JsonDeserializer<?> modifyDeserializer(
                  DeserializationConfig config,
                  BeanDescription description,
                  JsonDeserializer<?> deserializer) {
                return description.getBeanClass() == AnalyticsRun.class
                    ? new WithoutTexts(deserializer)
                    : deserializer;
              }
            });
  }

  private final class WithoutTexts extends DelegatingDeserializer {
    @Serial private static final long serialVersionUID = 1;

    WithoutTexts(JsonDeserializer<?> whole) {
      super(whole);
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> whole) {
      return new WithoutTexts(whole);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return withoutTexts((AnalyticsRun) super.deserialize(parser, context));
    }
  }
}
