package dev.assay.e2e.crash;

/**
 * A method of the operator that is one step of a run.
 *
 * @param name what the step is called
 * @param type fully qualified name of its class
 * @param method all methods of this name are meant
 */
record Step(String name, String type, String method) {

  /** Where class loaders find the class. */
  String resource() {
    return type.replace('.', '/') + ".class";
  }
}
