/**
 * The kinds of the group {@code assay.dev/v1alpha1}, as Java records.
 *
 * <p>The CRDs in {@code crds/manifests} are generated from these types. Everything that a user can
 * write has an upper bound, so that no object can outgrow the API server or the cost budget of its
 * rules.
 */
@NullMarked
package dev.assay.api.v1alpha1;

import org.jspecify.annotations.NullMarked;
