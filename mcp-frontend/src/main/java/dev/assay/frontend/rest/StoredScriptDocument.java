package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.script.StoredScript;

/**
 * A stored script in a list.
 *
 * @param configMap where it is
 */
record StoredScriptDocument(String name, Language language, String configMap) {
  static StoredScriptDocument of(StoredScript script) {
    return new StoredScriptDocument(script.name(), script.language(), script.configMap());
  }
}
