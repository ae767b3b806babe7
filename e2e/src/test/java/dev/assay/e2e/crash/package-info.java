/**
 * A Java agent that stops an operator at specific steps of specific runs. A scenario packs this
 * package into a jar and mounts it into the operator's Pods, so that the operator itself is
 * unchanged. It may use the operator's class path, and nothing else of the tests.
 */
@NullMarked
package dev.assay.e2e.crash;

import org.jspecify.annotations.NullMarked;
