/**
 * Uses the operator and the front end as in a cluster while their JVMs record what they load and
 * compile.
 */
@NullMarked
package dev.assay.training;

import org.jspecify.annotations.NullMarked;
