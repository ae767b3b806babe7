package dev.assay.frontend.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.assay.frontend.script.ScriptResult;
import org.jspecify.annotations.Nullable;

/**
 * What became of a script, as JSON.
 *
 * @param result its value once more, under the other name that clients of such endpoints know
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ScriptDocument(@JsonUnwrapped ScriptResult outcome, @JsonRawValue @Nullable String result) {
  static ScriptDocument of(ScriptResult outcome) {
    return new ScriptDocument(outcome, outcome.value());
  }
}
