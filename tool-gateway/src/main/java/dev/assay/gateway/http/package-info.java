/** The HTTP endpoint of the gateway. */
@NullMarked
package dev.assay.gateway.http;

import org.jspecify.annotations.NullMarked;
