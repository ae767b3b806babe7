package dev.assay.jvm.javascript;

/**
 * What V8 runs.
 *
 * @param source its text, which V8 compiles in this form
 * @param form how it is run
 */
record Program(Source source, Form form) {
  /** How a text is run. */
  enum Form {
    /** As a script, whose completion value is the result. */
    SCRIPT,

    /** As the body of a function. */
    BODY,

    /** As an expression whose value is a function to call. */
    FUNCTION
  }
}
