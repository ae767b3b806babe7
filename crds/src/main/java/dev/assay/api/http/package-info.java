/** HTTP clients that add to the JDK's. */
@NullMarked
package dev.assay.api.http;

import org.jspecify.annotations.NullMarked;
