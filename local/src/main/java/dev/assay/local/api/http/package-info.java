/** The HTTP side: requests, answers, watches. */
@NullMarked
package dev.assay.local.api.http;

import org.jspecify.annotations.NullMarked;
