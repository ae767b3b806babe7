/** The configuration. */
@NullMarked
package dev.assay.gateway.config;

import org.jspecify.annotations.NullMarked;
