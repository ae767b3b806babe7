/** What the server says that it serves. */
@NullMarked
package dev.assay.local.api.discovery;

import org.jspecify.annotations.NullMarked;
