package dev.assay.api.v1alpha1;

/** A kind whose objects may say what only a newer version knows. */
public interface VersionedKind {
  /**
   * Whether this version knows what the object asks for and how far it has come. It may only show
   * and count one that it does not understand: what it would do with it may be wrong.
   */
  boolean understood();
}
