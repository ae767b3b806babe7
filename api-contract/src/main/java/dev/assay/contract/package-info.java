/**
 * What Assay needs of a Kubernetes API server, as interfaces full of tests. Whoever has an API
 * server to judge implements them: module {@code local} for the stand-in, {@code e2e} for a real
 * one.
 */
@NullMarked
package dev.assay.contract;

import org.jspecify.annotations.NullMarked;
