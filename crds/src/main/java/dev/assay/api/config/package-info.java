/** Configuration files. */
@NullMarked
package dev.assay.api.config;

import org.jspecify.annotations.NullMarked;
