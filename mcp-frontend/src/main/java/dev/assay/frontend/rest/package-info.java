/** The REST API: its routes, what they take, what they answer. */
@NullMarked
package dev.assay.frontend.rest;

import org.jspecify.annotations.NullMarked;
