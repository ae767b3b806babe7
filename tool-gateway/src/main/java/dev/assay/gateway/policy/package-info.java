/** What a server allows: decided from its spec, its tools and the grants of a run; pure. */
@NullMarked
package dev.assay.gateway.policy;

import org.jspecify.annotations.NullMarked;
