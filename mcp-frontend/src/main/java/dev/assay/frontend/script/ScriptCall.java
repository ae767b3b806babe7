package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.Language;
import org.jspecify.annotations.Nullable;

/**
 * What a call asks for: code, or a script that is stored.
 *
 * @param code null where there is a name
 * @param script name of a stored script; null where there is code
 * @param language null where the call names none
 * @param input JSON text of an object
 */
public record ScriptCall(
    @Nullable String code,
    @Nullable String script,
    @Nullable Language language,
    String input,
    ScriptOptions options) {}
