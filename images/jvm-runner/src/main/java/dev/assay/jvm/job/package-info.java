/** What a worker is given to do, and how it fails. */
@NullMarked
package dev.assay.jvm.job;

import org.jspecify.annotations.NullMarked;
