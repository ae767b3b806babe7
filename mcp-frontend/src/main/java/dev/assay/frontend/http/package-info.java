/** HTTP: the server, its limits and its own error answers. */
@NullMarked
package dev.assay.frontend.http;

import org.jspecify.annotations.NullMarked;
