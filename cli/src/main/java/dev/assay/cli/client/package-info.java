/** The REST API, as a client sees it. */
@NullMarked
package dev.assay.cli.client;

import org.jspecify.annotations.NullMarked;
