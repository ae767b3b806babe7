/** What kubectl prints: columns, and tables made of objects. Pure. */
@NullMarked
package dev.assay.local.api.table;

import org.jspecify.annotations.NullMarked;
