/**
 * A Java agent that ends an operator at exact steps of exact runs. A scenario packs this package
 * into a jar and mounts it into the operator's Pods, so that the operator itself knows nothing of
 * it. It may use what the operator has on its class path, and nothing else of the tests.
 */
@NullMarked
package dev.assay.e2e.crash;

import org.jspecify.annotations.NullMarked;
