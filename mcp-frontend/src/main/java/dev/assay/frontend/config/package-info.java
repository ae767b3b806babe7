/** Configuration, and files that change while the process runs. */
@NullMarked
package dev.assay.frontend.config;

import org.jspecify.annotations.NullMarked;
