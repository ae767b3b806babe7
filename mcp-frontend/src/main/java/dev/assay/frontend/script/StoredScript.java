package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.Language;
import org.jspecify.annotations.Nullable;

/**
 * A script in a ConfigMap.
 *
 * @param name its key without {@code .js} or {@code .ts}
 * @param language by that ending
 * @param configMap where it is
 * @param code null where only the names were asked for
 */
public record StoredScript(
    String name, Language language, String configMap, @Nullable String code) {}
