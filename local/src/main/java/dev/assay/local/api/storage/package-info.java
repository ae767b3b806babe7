/** Objects, their revisions, and the history that watches read. */
@NullMarked
package dev.assay.local.api.storage;

import org.jspecify.annotations.NullMarked;
