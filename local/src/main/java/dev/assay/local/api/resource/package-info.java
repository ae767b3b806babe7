/** The resources that are served, and how objects of them are read. Pure. */
@NullMarked
package dev.assay.local.api.resource;

import org.jspecify.annotations.NullMarked;
