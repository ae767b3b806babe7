/** The operator's configuration file. */
@NullMarked
package dev.assay.operator.config;

import org.jspecify.annotations.NullMarked;
