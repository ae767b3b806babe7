/**
 * What Assay requires of a Kubernetes API server, as interfaces with tests. A module that tests an
 * API server implements them: module {@code local} for the stand-in, {@code e2e} for a real one.
 */
@NullMarked
package dev.assay.contract;

import org.jspecify.annotations.NullMarked;
