package dev.assay.jvm.javascript;

/** What a script is written in. */
enum ScriptLanguage {
  JAVASCRIPT,
  TYPESCRIPT;

  /** The language of a name in the protocol; JavaScript where a job names none. */
  static ScriptLanguage of(String name) {
    return name.equals("typescript") ? TYPESCRIPT : JAVASCRIPT;
  }
}
