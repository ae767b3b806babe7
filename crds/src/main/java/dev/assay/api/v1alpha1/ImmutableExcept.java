package dev.assay.api.v1alpha1;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes every field of a spec immutable, except the named ones. The generator of the CRDs derives
 * the rule from the components of the record, so that it covers a new field, too.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface ImmutableExcept {
  /** The fields that can change. */
  String[] value();

  /** What the API server answers to a change of another field. */
  String message();
}
