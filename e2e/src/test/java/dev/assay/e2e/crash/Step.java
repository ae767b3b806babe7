package dev.assay.e2e.crash;

/**
 * A method of the operator that is one step of a run.
 *
 * @param name the name of the step
 * @param type fully qualified name of its class
 * @param method name of its methods; all overloads are included
 */
record Step(String name, String type, String method) {

  /** Where class loaders find the class. */
  String resource() {
    return type.replace('.', '/') + ".class";
  }
}
