/** Describes a table: the types of its columns, their values, and what to look out for. */
@NullMarked
package dev.assay.jvm.profile;

import org.jspecify.annotations.NullMarked;
