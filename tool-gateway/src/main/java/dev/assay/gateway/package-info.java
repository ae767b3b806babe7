/**
 * The tool gateway: the only part of Assay that connects to tool servers.
 *
 * <p>The operator sends it the calls of runs; it knows their servers, holds the credentials, and
 * reads hostile replies. It has no way to a Pod and none to the status of an object.
 */
@NullMarked
package dev.assay.gateway;

import org.jspecify.annotations.NullMarked;
